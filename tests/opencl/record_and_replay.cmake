# SPDX-License-Identifier: Apache-2.0
# Records the kernels of an OpenCL program, with a waveform and a timeline, and replays them.
# SIMTLM, PROGRAM: executables. FOLDER: for output files.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

# run(NAME COMMAND...): stores its output; it must exit with 0.
function(run name)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${FOLDER}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN} ends with ${result}:\n${output}")
  endif()
  set(${name} "${output}" PARENT_SCOPE)
endfunction()

# Last value of a statistic in a text.
function(last_value name statistic text)
  string(REGEX MATCHALL "${statistic} = [0-9]+" all "${text}")
  if(NOT all)
    message(FATAL_ERROR "there is no ${statistic}")
  endif()
  list(GET all -1 value)
  string(REGEX REPLACE ".* = " "" value "${value}")
  set(${name} ${value} PARENT_SCOPE)
endfunction()

run(recorded ${SIMTLM} run --preset TINY --record-trace trace --vcd run.vcd --timeline run.json
  --stats-file run.stats -- ${PROGRAM})
run(replayed ${SIMTLM} --preset TINY -trace trace/kernelslist.g)
file(READ ${FOLDER}/run.stats statistics)
last_value(executed gpu_tot_sim_insn "${statistics}")
last_value(repeated gpu_tot_sim_insn "${replayed}")
if(NOT executed EQUAL repeated)
  message(FATAL_ERROR "${executed} instructions were executed, ${repeated} replayed")
endif()
foreach(kernel arguments two_locals)
  if(NOT replayed MATCHES "kernel_name = ${kernel}")
    message(FATAL_ERROR "the replay has no kernel ${kernel}")
  endif()
  file(READ ${FOLDER}/run.json timeline)
  if(NOT timeline MATCHES "${kernel}")
    message(FATAL_ERROR "the timeline has no kernel ${kernel}")
  endif()
endforeach()
file(READ ${FOLDER}/run.vcd waveform LIMIT 4000000)
if(NOT waveform MATCHES "enddefinitions")
  message(FATAL_ERROR "run.vcd is no waveform")
endif()
message("record_and_replay: passed")
