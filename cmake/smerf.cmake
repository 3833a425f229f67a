# The one definition of what smerf is made of: sources and flags. CMakeLists.txt, the Python package and the fuzz harnesses
# include it, so that the library is the same wherever it is built. It wants languages C and pkg-config, and sets
#   smerf_library_sources, smerf_io_sources, smerf_report_sources   lists of files
#   smerf_flags          a target to link, privately: the flags of every file of ours
#   PkgConfig::smerf_needs, Threads::Threads                        what the library needs
#   PkgConfig::smerf_io_needs                                       what reading and writing text needs beside it
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH smerf_root)

option(SMERF_TRAINING "Build what learns; OFF: load models and predict only" ON)

find_package(Threads REQUIRED)
find_package(PkgConfig)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(smerf_needs IMPORTED_TARGET jansson libxxhash)
  pkg_check_modules(smerf_io_needs IMPORTED_TARGET zlib)
endif()
if(NOT smerf_needs_FOUND OR NOT smerf_io_needs_FOUND)
  message(FATAL_ERROR "smerf needs pkg-config and the C libraries jansson, xxhash and zlib with their headers; "
                      "on Debian: apt-get install pkg-config libjansson-dev libxxhash-dev zlib1g-dev")
endif()

# ---- flags ----

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(SMERF_OPTIMISE "-O3 -g" CACHE STRING "Flags of a release build; models are the same for any of them")
set(CMAKE_C_FLAGS_RELEASE "${SMERF_OPTIMISE}") # assertions stay: they cost little, and a wrong distance costs more
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

add_library(smerf_flags INTERFACE)
target_compile_definitions(smerf_flags INTERFACE _GNU_SOURCE)
# Without contraction a * b + c rounds twice on every machine, so every machine grows the same forest.
target_compile_options(smerf_flags INTERFACE -ffp-contract=off)
target_include_directories(smerf_flags INTERFACE ${smerf_root}/include ${smerf_root}/src)

# ---- sources: every file of a folder ----

function(smerf_sources variable) # folders below src
  list(TRANSFORM ARGN REPLACE "(.+)" "${smerf_root}/src/\\1/*.c")
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${ARGN})
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

smerf_sources(smerf_library_sources base kernels factor data target model predict evaluate method explore)
smerf_sources(smerf_training_sources train fit study)
smerf_sources(smerf_io_sources io)
smerf_sources(smerf_report_sources report)
if(SMERF_TRAINING)
  list(APPEND smerf_library_sources ${smerf_training_sources})
else() # what learns in a method stands in folders called fit
  list(FILTER smerf_library_sources EXCLUDE REGEX "/src/method/(.+/)?fit/")
endif()

# ---- what single files want ----

file(GLOB smerf_avx2_sources CONFIGURE_DEPENDS ${smerf_root}/src/kernels/avx2/*.c)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${smerf_avx2_sources} PROPERTIES COMPILE_OPTIONS -mavx2)
  # A loop of twenty instructions that is run a million times: up to a tenth slower where it happens to start elsewhere.
  set_source_files_properties(${smerf_root}/src/kernels/avx2/dense.c PROPERTIES COMPILE_OPTIONS
                              "-mavx2;-mfma;-falign-functions=64;-falign-loops=64")
else()
  list(REMOVE_ITEM smerf_library_sources ${smerf_avx2_sources})
endif()
set_source_files_properties(${smerf_library_sources} PROPERTIES
  COMPILE_DEFINITIONS "SMERF_BUILDING;SMERF_VERSION_STRING=\"${PROJECT_VERSION}\"")
set(smerf_report_template ${smerf_root}/page/report-template.html)
set_source_files_properties(${smerf_root}/src/report/template.c PROPERTIES
  COMPILE_DEFINITIONS SMERF_REPORT_TEMPLATE="${smerf_report_template}" OBJECT_DEPENDS ${smerf_report_template})
