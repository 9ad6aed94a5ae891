// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/field_types.h"

namespace shardscope {

/// `E` is `T` or `const T`: the reader fills, the writer reads.
template <typename E, typename T>
concept Of = std::same_as<std::remove_const_t<E>, T>;

// A visitor has required(name, value) and optional(name, value, absent): an optional field is left out of the line
// when it equals `absent`. The order here is the order in the line.

void describe(auto &fields, Of<Text> auto &text)
{
    fields.required("id", text.id);
    fields.optional("args", text.args);
}

void describe(auto &fields, Of<Host> auto &host)
{
    fields.required("name", host.name);
    fields.required("ranks", host.ranks);
    fields.optional("clock_offset_ns", host.clockOffsetNs);
    fields.optional("clock_uncertainty_ns", host.clockUncertaintyNs);
}

void describe(auto &fields, Of<Machine> auto &machine)
{
    fields.optional("backend", machine.backend);
    fields.optional("host", machine.host);
    fields.optional("devices", machine.devices);
    fields.optional("libraries", machine.libraries);
    fields.optional("notes", machine.notes);
    fields.optional("hosts", machine.hosts);
    fields.optional("remote", machine.remote);
}

void describe(auto &fields, Of<HelloEvent> auto &event)
{
    fields.required("protocol", event.protocolMajor);
    fields.optional("minor", event.protocolMinor);
    fields.optional("engine", event.engineVersion);
    fields.optional("machine", event.machine);
    fields.optional("available_bytes", event.availableBytes);
}

void describe(auto &fields, Of<RunEvent> auto &event)
{
    fields.required("id", event.id);
    fields.required("source", event.source);
    fields.optional("started_at", event.startedAt);
    fields.optional("hardware", event.hardware);
    fields.required("experiment", event.experiment);
    fields.optional("machine", event.machine);
    fields.optional("starts", event.starts);
    fields.optional("start_ns_each", event.startNs);
    fields.optional("stand_ins", event.standIns);
}

void describe(auto &fields, Of<SpanEvent> auto &event)
{
    fields.required("rank", event.rank);
    fields.required("iteration", event.iteration);
    fields.optional("warmup", event.warmup);
    fields.required("step", event.step);
    fields.required("start_ns", event.startNs);
    fields.required("end_ns", event.endNs);
    fields.optional("launch_ns", event.launchNs);
    fields.optional("op", event.op);
    fields.optional("payload_bytes", event.payloadBytes);
    fields.optional("sent_bytes", event.sentBytes);
    fields.optional("wire_dtype", event.wireDtype);
}

void describe(auto &fields, Of<HopEvent> auto &event)
{
    fields.required("rank", event.rank);
    fields.required("iteration", event.iteration);
    fields.optional("warmup", event.warmup);
    fields.required("step", event.step);
    fields.required("hop", event.hop);
    fields.required("start_ns", event.startNs);
    fields.required("end_ns", event.endNs);
    fields.optional("sent_bytes", event.sentBytes);
}

void describe(auto &fields, Of<IterationEvent> auto &event)
{
    fields.required("rank", event.rank);
    fields.required("iteration", event.iteration);
    fields.optional("warmup", event.warmup);
    fields.required("start_ns", event.startNs);
    fields.required("end_ns", event.endNs);
}

void describe(auto &fields, Of<BaselineEvent> auto &event)
{
    fields.required("step", event.step);
    fields.optional("transfer_ns", event.transferNs);
    fields.optional("wait_ns", event.waitNs);
}

void describe(auto &fields, Of<CarriedEvent> auto &event)
{
    fields.required("step", event.step);
    fields.required("algorithm", event.algorithm);
    fields.required("protocol", event.protocol);
}

void describe(auto &fields, Of<CheckEvent> auto &event)
{
    fields.required("name", event.name);
    fields.required("relative_error", event.relativeError);
    fields.required("limit", event.limit);
    fields.required("passed", event.passed);
    fields.optional("whole_error", event.wholeError, kUnknownError);
    fields.optional("pieces_error", event.piecesError, kUnknownError);
    fields.optional("from_whole", event.fromWhole, kUnknownError);
    fields.optional("from_pieces", event.fromPieces, kUnknownError);
    fields.optional("quantization_error", event.quantizationError, kUnknownError);
}

void describe(auto &fields, Of<MemoryEvent> auto &event)
{
    fields.required("measured_bytes_per_rank", event.measuredBytesPerRank);
    fields.optional("formula_bytes_per_rank", event.formulaBytesPerRank);
}

void describe(auto &fields, Of<ProgressEvent> auto &event)
{
    fields.required("stage", event.stage);
    fields.optional("fraction", event.fraction, -1.0);
}

void describe(auto &fields, Of<MessageEvent> auto &event)
{
    fields.required("level", event.level);
    fields.optional("rank", event.rank, -1);
    fields.required("text", event.text);
    fields.optional("remedy", event.remedy, Text{TextId::NoReason, {}});
    fields.optional("detail", event.detail);
}

void describe(auto &fields, Of<BandwidthEvent> auto &event)
{
    fields.required("op", event.op);
    fields.required("ranks", event.ranks);
    fields.required("payload_bytes", event.payloadBytes);
    fields.required("sent_bytes", event.sentBytes);
    fields.required("median_ns", event.medianNs);
}

void describe(auto &fields, Of<ComputeEvent> auto &event)
{
    fields.required("dtype", event.dtype);
    fields.required("ranks", event.ranks);
    fields.required("flops_per_second", event.flopsPerSecond);
    fields.required("bytes_per_second", event.bytesPerSecond);
    fields.optional("overhead_ns", event.overheadNs);
}

void describe(auto &fields, Of<NumaNode> auto &node)
{
    fields.required("node", node.number);
    fields.required("cores", node.cores);
    fields.optional("memory_bytes", node.memoryBytes, std::int64_t{-1});
}

void describe(auto &fields, Of<GpuState> auto &gpu)
{
    fields.required("name", gpu.name);
    fields.optional("bus_id", gpu.busId);
    fields.optional("memory_bytes", gpu.memoryBytes, std::int64_t{-1});
    fields.optional("free_bytes", gpu.freeBytes, std::int64_t{-1});
    fields.optional("busy_percent", gpu.busyPercent, -1);
    fields.optional("numa_node", gpu.numaNode, -1);
    fields.optional("pcie_generation", gpu.pcieGeneration, -1);
    fields.optional("pcie_lanes", gpu.pcieLanes, -1);
    fields.optional("nvlinks", gpu.nvlinks);
    fields.optional("nvlink_version", gpu.nvlinkVersion);
}

void describe(auto &fields, Of<GpuPath> auto &path)
{
    fields.required("from", path.from);
    fields.required("to", path.to);
    fields.required("path", path.word);
    fields.optional("expected_GBps", path.expectedGBps, -1.0);
}

void describe(auto &fields, Of<TopologyEvent> auto &event)
{
    fields.optional("nodes", event.topology.nodes);
    fields.optional("gpus", event.topology.gpus);
    fields.optional("paths", event.topology.paths);
}

void describe(auto &fields, Of<GpuLoad> auto &load)
{
    fields.optional("busy_percent", load.busyPercent, -1);
    fields.optional("free_bytes", load.freeBytes, std::int64_t{-1});
}

void describe(auto &fields, Of<LoadEvent> auto &event)
{
    fields.required("cpu_percent", event.cpuPercent);
    fields.optional("ranks_percent", event.ranksPercent);
    fields.optional("free_bytes", event.freeBytes);
    fields.optional("gpus", event.gpus);
}

void describe(auto &fields, Of<EndEvent> auto &event)
{
    fields.required("id", event.id);
    fields.required("status", event.status);
    fields.optional("exit_code", event.exitCode);
    fields.optional("elapsed_ns", event.elapsedNs);
}

} // namespace shardscope
