# SPDX-License-Identifier: Apache-2.0
# A debugger session in a host program, with a command file.
# SIMTLM: the executable. PROGRAM: program and arguments, separated by bars. OPTIONS: of the run. COMMANDS: a list. EXPECTED: list of regular expressions
# that the output must match. PASSED: output of the program. FOLDER: for files.
file(MAKE_DIRECTORY ${FOLDER})
string(REPLACE "|" ";" program "${PROGRAM}")
string(REPLACE ";" "\n" lines "${COMMANDS}")
file(WRITE ${FOLDER}/commands "${lines}\n")
execute_process(
  COMMAND ${SIMTLM} run ${OPTIONS} --stats-file reports --debug --debug-commands commands -- ${program}
  WORKING_DIRECTORY ${FOLDER}
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE session)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the program ends with ${result}:\n${output}${session}")
endif()
if(NOT output MATCHES "${PASSED}")
  message(FATAL_ERROR "the program has not passed:\n${output}${session}")
endif()
if(output MATCHES "breakpoint")
  message(FATAL_ERROR "the debugger writes between what the program prints:\n${output}")
endif()
foreach(expression IN LISTS EXPECTED)
  if(NOT session MATCHES "${expression}")
    message(FATAL_ERROR "the session does not match ${expression}:\n${session}")
  endif()
endforeach()
message("debug_session: passed")
