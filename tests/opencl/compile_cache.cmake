# SPDX-License-Identifier: Apache-2.0
# The cache of compiled kernels: damaged entries and built-in functions count as missing; if it is not
# writable, programs still run. Compilations need no folder for temporary files, so that nothing remains
# of one that is interrupted; what a killed process has left in the cache is removed.
#   cmake -DSIMTLM=... -DPROGRAM=... -DFOLDER=... -P compile_cache.cmake
set(ENV{SIMTLM_OPENCL_CACHE} ${FOLDER}/kept)
set(ENV{TMPDIR} ${FOLDER}/nowhere)
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/kept)
set(partial ${FOLDER}/kept/.0123456789abcdef0123456789abcdef.1.1)
file(WRITE ${partial} "")
execute_process(COMMAND touch -d "2 hours ago" ${partial})

function(run what)
  execute_process(COMMAND ${SIMTLM} run --preset TINY -gpgpu_ptx_sim_mode 1 --stats-file cache.stats
    -- ${PROGRAM} WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE result OUTPUT_VARIABLE text
    ERROR_VARIABLE text)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what}: the program ends with ${result}\n${text}")
  endif()
endfunction()

run("an empty cache")
if(EXISTS ${partial})
  message(FATAL_ERROR "${partial} is kept")
endif()
file(GLOB entries ${FOLDER}/kept/*)
list(LENGTH entries count)
if(count LESS 3)
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
message("compile_cache: passed")
