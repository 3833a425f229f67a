# One cmocka program per file of this folder.
enable_testing()
pkg_check_modules(cmocka REQUIRED IMPORTED_TARGET cmocka)
file(GLOB unit_tests CONFIGURE_DEPENDS tests/unit/test_*.c)
if(NOT SMERF_REPRODUCE)
  list(FILTER unit_tests EXCLUDE REGEX "/test_chart_")
endif()
# These start no thread, so that the thread sanitizer, which is slow, has nothing to see in them. Others of that sort,
# and every new program, it runs.
set(threadless attributes chart_.+ colours csv dense_nodes design deviations draws edges eigen quote gibbs kernels large_files
               matrix npy number output pair_lists pair_target pairs psd_least_squares random reader_memory
               report_accuracy report_json rough rows same_pairs sort square strips target_memory)
if(SMERF_SANITIZE MATCHES thread)
  list(TRANSFORM threadless REPLACE "(.+)" "/test_\\1[.]c$")
  list(JOIN threadless "|" threadless)
  list(FILTER unit_tests EXCLUDE REGEX "${threadless}")
endif()
foreach(unit_test ${unit_tests})
  cmake_path(GET unit_test STEM name)
  add_smerf_program(${name} ${unit_test})
  if(SMERF_SANITIZE) # with whose checks the compiler takes longer to optimise a test than that takes to run
    target_compile_options(${name} PRIVATE -O1)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY tests)
  target_link_libraries(${name} PRIVATE demo_parts PkgConfig::cmocka)
  if(name MATCHES chart)
    target_link_libraries(${name} PRIVATE smerf_chart)
  elseif(name MATCHES report)
    target_link_libraries(${name} PRIVATE smerf_report)
  endif()
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT 900)
endforeach()
