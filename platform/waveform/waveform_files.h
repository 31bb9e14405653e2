// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace simtlm::waveforms {
class waveform;
}

namespace simtlm::platform {

class waveform_catalogue;

/// Path of GTKWave's converter. @throws support::user_error  if it is not installed
std::string find_vcd2fst();
/// Runs the converter. @throws support::user_error  if it fails
void convert_to_fst(const std::string& converter, const std::string& vcd, const std::string& fst);

/// The file that names the values of an enumeration, beside a dump.
std::string translation_file(const std::string& dump, const std::string& enumeration);
/// Checks that the translate files of a dump can be written. @throws support::user_error
void check_translations(const std::string& dump, const waveform_catalogue& catalogue);
/// Writes DUMP.gtkw, GTKWave's save file for a dump, and the translate files it refers to.
/// @param dump         file that GTKWave will open
/// @param core_period  femtoseconds; determines the initial zoom
/// @throws support::user_error
void write_save_file(const std::string& dump, const waveforms::waveform& wave,
                     const waveform_catalogue& catalogue, double core_period);

}  // namespace simtlm::platform
