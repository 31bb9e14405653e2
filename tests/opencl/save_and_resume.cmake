# SPDX-License-Identifier: Apache-2.0
# Saves a run of an OpenCL program between two kernels, resumes it, and compares the statistics.
# SIMTLM, DIFF, PROGRAM: executables. FOLDER: for output files.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

# run(NAME OPTION...): runs the program with statistics in NAME.json.
function(run name)
  execute_process(
    COMMAND ${SIMTLM} run --preset TINY -gpgpu_kernel_launch_latency 3000 --stats-file ${name}.reports
            --stats-json ${name}.json ${ARGN} -- ${PROGRAM}
    WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${name} ends with ${result}:\n${output}")
  endif()
endfunction()

run(whole)
run(saved --checkpoint checkpoint --checkpoint-at 3)
run(resumed --resume checkpoint)
file(READ ${FOLDER}/resumed.reports reports)
if(reports MATCHES "kernel_launch_uid = 1 ")
  message(FATAL_ERROR "a kernel before the checkpoint was simulated")
endif()
foreach(other saved resumed)
  execute_process(COMMAND ${DIFF} whole.json ${other}.json WORKING_DIRECTORY ${FOLDER}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0 OR NOT output MATCHES "All statistics are equal")
    message(FATAL_ERROR "${other} differs:\n${output}")
  endif()
endforeach()
message("save_and_resume: passed")
