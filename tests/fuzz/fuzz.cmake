# One libFuzzer program per harness, from the same sources and flags as everything else; compiled with clang.
file(GLOB harnesses CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
foreach(harness ${harnesses})
  cmake_path(GET harness STEM name)
  add_smerf_program(${name} ${harness})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY fuzz)
endforeach()
