# SPDX-License-Identifier: Apache-2.0
# The cache of compiled kernels: damaged entries and built-in functions count as missing; if it is not
# writable, programs still run and leave no files behind.
#   cmake -DSIMTLM=... -DPROGRAM=... -DFOLDER=... -P compile_cache.cmake
set(ENV{SIMTLM_OPENCL_CACHE} ${FOLDER}/kept)
set(ENV{TMPDIR} ${FOLDER}/temporary)
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/temporary)

function(run what)
  execute_process(COMMAND ${SIMTLM} run --preset TINY -gpgpu_ptx_sim_mode 1 --stats-file cache.stats
    -- ${PROGRAM} WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE result OUTPUT_VARIABLE text
    ERROR_VARIABLE text)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what}: the program ends with ${result}\n${text}")
  endif()
endfunction()

run("an empty cache")
file(GLOB entries ${FOLDER}/kept/*)
list(LENGTH entries count)
if(count LESS 6)
  message(FATAL_ERROR "what was compiled is not in the cache: ${entries}")
endif()
foreach(entry IN LISTS entries)
  file(WRITE ${entry} "damaged")
endforeach()
run("damaged entries")
foreach(entry IN LISTS entries)
  file(READ ${entry} text LIMIT 7)
  if(text STREQUAL "damaged")
    message(FATAL_ERROR "${entry} has not been written again")
  endif()
endforeach()

file(WRITE ${FOLDER}/file "")
set(ENV{SIMTLM_OPENCL_CACHE} ${FOLDER}/file)
run("a cache that cannot be written")
file(GLOB left ${FOLDER}/temporary/*)
if(left)
  message(FATAL_ERROR "left behind: ${left}")
endif()
message("compile_cache: passed")
