# find_package(smerf) gives smerf::smerf (shared) and smerf::smerf_static.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/smerfTargets.cmake)
