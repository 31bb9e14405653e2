# SPDX-License-Identifier: Apache-2.0
# A session of the debugger in a host program, from a file of commands.
# SIMTLM: the executable. PROGRAM: one with its arguments, after bars. OPTIONS: of the run. COMMANDS: a list. EXPECTED: regular expressions
# that the session has to match, a list. PASSED: what the program prints. FOLDER: files go there.
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
