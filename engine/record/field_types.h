// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/event.h"

#include <array>
#include <concepts>
#include <type_traits>

// What each line of the stream holds, said once: the writer and the reader both walk these descriptions.
namespace shardscope {

/// All values of an enum that travels as its name().
template <typename E>
inline constexpr bool kIsWord = false;
template <>
inline constexpr bool kIsWord<Source> = true;
template <>
inline constexpr bool kIsWord<DType> = true;
template <>
inline constexpr bool kIsWord<Backend> = true;
template <>
inline constexpr bool kIsWord<CollectiveOp> = true;
template <>
inline constexpr bool kIsWord<MessageEvent::Level> = true;
template <>
inline constexpr bool kIsWord<EndEvent::Status> = true;

[[nodiscard]] constexpr auto valuesOf(Source)
{
    return std::array{Source::Measured, Source::Predicted, Source::Recorded};
}
[[nodiscard]] constexpr auto valuesOf(Backend)
{
    return std::array{Backend::Auto, Backend::Cpu, Backend::Cuda};
}
[[nodiscard]] constexpr auto valuesOf(DType)
{
    return std::array{DType::F32, DType::F64, DType::BF16, DType::F16};
}
[[nodiscard]] constexpr auto valuesOf(CollectiveOp)
{
    return std::array{CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::ReduceScatter,
                      CollectiveOp::Broadcast, CollectiveOp::Reduce,    CollectiveOp::Gather,
                      CollectiveOp::AllToAll,  CollectiveOp::SendRecv};
}
[[nodiscard]] constexpr auto valuesOf(MessageEvent::Level)
{
    return std::array{MessageEvent::Level::Info, MessageEvent::Level::Warning, MessageEvent::Level::Error};
}
[[nodiscard]] constexpr auto valuesOf(EndEvent::Status)
{
    return std::array{EndEvent::Status::Done, EndEvent::Status::Failed, EndEvent::Status::Cancelled};
}

/// What stands inside of an event as an object of its own: what a reader asks for.
template <typename T>
inline constexpr const char *kPart = nullptr;
template <>
inline constexpr const char *kPart<Machine> = "a machine {\"backend\", \"devices\", ...}";
template <>
inline constexpr const char *kPart<Host> = "a host {\"name\", \"ranks\"}";
template <>
inline constexpr const char *kPart<NumaNode> = "a NUMA node {\"node\", \"cores\"}";
template <>
inline constexpr const char *kPart<GpuState> = "a GPU {\"name\", ...}";
template <>
inline constexpr const char *kPart<GpuPath> = "a path {\"from\", \"to\", \"path\"}";
template <>
inline constexpr const char *kPart<GpuLoad> = "a load {\"busy_percent\", \"free_bytes\"}";
template <typename T>
concept Part = kPart<T>
!= nullptr;

/// The value of field "kind".
template <typename E>
inline constexpr std::string_view kKind{};
template <>
inline constexpr std::string_view kKind<HelloEvent> = "hello";
template <>
inline constexpr std::string_view kKind<RunEvent> = "run";
template <>
inline constexpr std::string_view kKind<SpanEvent> = "span";
template <>
inline constexpr std::string_view kKind<HopEvent> = "hop";
template <>
inline constexpr std::string_view kKind<IterationEvent> = "iteration";
template <>
inline constexpr std::string_view kKind<BaselineEvent> = "baseline";
template <>
inline constexpr std::string_view kKind<CarriedEvent> = "carried";
template <>
inline constexpr std::string_view kKind<CheckEvent> = "check";
template <>
inline constexpr std::string_view kKind<MemoryEvent> = "memory";
template <>
inline constexpr std::string_view kKind<ProgressEvent> = "progress";
template <>
inline constexpr std::string_view kKind<MessageEvent> = "message";
template <>
inline constexpr std::string_view kKind<BandwidthEvent> = "bandwidth";
template <>
inline constexpr std::string_view kKind<ComputeEvent> = "compute";
template <>
inline constexpr std::string_view kKind<TopologyEvent> = "topology";
template <>
inline constexpr std::string_view kKind<LoadEvent> = "load";
template <>
inline constexpr std::string_view kKind<EndEvent> = "end";

} // namespace shardscope
