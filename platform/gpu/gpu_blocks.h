// SPDX-License-Identifier: Apache-2.0
#pragma once

// The GPU and complete types of its blocks: for what reads, records or controls them.
#include "modules/core/memory_effects.h"
#include "modules/core/simt_cluster.h"
#include "modules/dispatch/command_processor.h"
#include "modules/interconnect/network.h"
#include "modules/isa/opcode_tables.h"
#include "modules/memory/address_mapping.h"
#include "modules/memory/address_placement.h"
#include "modules/memory/memory_channel.h"
#include "modules/memory/memory_partition.h"
#include "modules/memory/memory_statistics.h"
#include "modules/power/energy_meter.h"
#include "modules/simulation/phase_sequencer.h"
#include "modules/trace/command_list.h"
#include "modules/trace/kernel_trace.h"
#include "platform/config/config.h"
#include "platform/gpu/gpu.h"
#include "platform/gpu/host_interface.h"
#include "platform/gpu/memory_bridge.h"
