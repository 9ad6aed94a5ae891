// SPDX-License-Identifier: MIT
#include "engine/runtime/reference_check.h"

#include "engine/runtime/torch_types.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>

namespace shardscope {

namespace {

/// Elements compared at a time, in float64: 2 MB, so that they stay in the cache.
constexpr std::int64_t kCheckedAtOnce = std::int64_t{1} << 18;

/// Of this rank's part of a result, as many elements are also held against the unsharded computation: enough to know
/// its error to a per cent, cheap where a gradient has 268 million.
constexpr std::int64_t kSampledElements = std::int64_t{1} << 20;

/// The ratio of two norms of rounding errors varies by chance with the number of elements behind them: with 8 it leaves
/// 3 in one case of 400, with 64 practically never.
constexpr std::int64_t kTellingElements = 64;

/// ‖y - ref‖² and ‖ref‖².
struct SquaredNorms {
    double difference = 0;
    double reference = 0;
};

constexpr SquaredNorms kUnknown{std::numeric_limits<double>::quiet_NaN(), 1};

SquaredNorms compare(const at::Tensor &value, const std::string &name, const Region &region, const Reference &reference)
{
    const std::int64_t rows = region.rows.length;
    const std::int64_t columns = value.dim() == 2 ? region.columns.length : 1;
    if (value.numel() != rows * columns || !reference.covers(name, region))
        return kUnknown;
    SquaredNorms norms{0, reference.squaredNorm(name, region)};
    const std::int64_t step = std::max<std::int64_t>(1, kCheckedAtOnce / std::max<std::int64_t>(1, columns));
    for (std::int64_t begin = 0; begin < rows; begin += step) {
        const Slice part{region.rows.begin + begin, std::min(step, rows - begin)};
        at::Tensor block = value.narrow(0, begin, part.length).to(at::kDouble, false, true).contiguous();
        reference.subtractFrom(block, name, {part, region.columns});
        norms.difference += at::dot(block.view(-1), block.view(-1)).item<double>();
    }
    return norms;
}

double relativeError(const SquaredNorms &norms)
{
    if (norms.difference == 0)
        return 0;
    return std::sqrt(norms.difference / norms.reference);
}

/// What one rank holds of a result; nothing of it where another pipeline stage does, or only the root.
struct HeldPart {
    bool held = false;
    Region region;
};

HeldPart heldPart(const Tensor &tensor, const Mesh &mesh, int rank)
{
    bool held = holds(tensor, mesh, rank);
    for (const MeshAxis axis : kMeshAxes)
        if (along(tensor.layout, axis).kind == PlacementKind::Root && mesh.coordinate(rank, axis) != 0)
            held = false;
    return {held, localRegion(tensor, mesh, rank)};
}

using RegionKey = std::array<std::int64_t, 4>;

RegionKey keyOf(const Region &region)
{
    return {region.rows.begin, region.rows.length, region.columns.begin, region.columns.length};
}

/// The ranks that hold a part, by what they hold.
std::map<RegionKey, std::vector<int>> holdersOf(const Tensor &tensor, const Mesh &mesh)
{
    std::map<RegionKey, std::vector<int>> holders;
    for (int rank = 0; rank < mesh.size(); ++rank)
        if (const HeldPart part = heldPart(tensor, mesh, rank); part.held)
            holders[keyOf(part.region)].push_back(rank);
    return holders;
}

/// A NaN is worse than any number.
bool isWorse(const SquaredNorms &norms, const SquaredNorms &than)
{
    return std::isnan(norms.difference) || norms.difference > than.difference;
}

bool isAddend(const Tensor &tensor)
{
    return std::any_of(tensor.layout.begin(), tensor.layout.end(), [](const Placement &p) { return p.isAddend(); });
}

/// Of ranks that hold the same part. Replicas must each be right, so the worst counts. Addends that nobody has summed
/// are all wrong, each by what the others have: there the mean counts, for the largest of a few would say more than the
/// mistake does (r independent addends: 1 - 1/r of the square).
SquaredNorms ofHolders(const std::vector<SquaredNorms> &holders, bool addends)
{
    SquaredNorms result = holders.front();
    double sum = 0;
    for (const SquaredNorms &each : holders) {
        sum += each.difference;
        result = isWorse(each, result) ? each : result;
    }
    if (addends)
        result.difference = sum / double(holders.size());
    return result;
}

/// The relative error of a result over all ranks, of which each hands in what it knows of its own part. The different
/// parts are parts of one norm.
double overRanks(const SquaredNorms &mine, const Tensor &tensor, const Mesh &mesh, Communicator &communicator)
{
    const auto bits = communicator.gather(
        {std::bit_cast<std::int64_t>(mine.difference), std::bit_cast<std::int64_t>(mine.reference)});
    SquaredNorms sum;
    for (const auto &[region, ranks] : holdersOf(tensor, mesh)) {
        std::vector<SquaredNorms> holders;
        for (const int rank : ranks) {
            const auto at = 2 * static_cast<std::size_t>(rank);
            holders.push_back({std::bit_cast<double>(bits[at]), std::bit_cast<double>(bits[at + 1])});
        }
        const SquaredNorms part = ofHolders(holders, isAddend(tensor));
        sum.difference += part.difference;
        sum.reference += part.reference;
    }
    return relativeError(sum);
}

/// Half the distance of two neighbours, relative to their value, at most.
double unitRoundoff(DType dtype)
{
    switch (dtype) {
    case DType::F64:
        return 0x1p-53;
    case DType::F32:
        return 0x1p-24;
    case DType::F16:
        return 0x1p-11;
    case DType::BF16:
        return 0x1p-8;
    case DType::I64:
    case DType::I8:
        break;
    }
    return 0;
}

/// Columns of the narrowest activation between inputs and results.
std::int64_t narrowestWidth(const Experiment &experiment)
{
    const bool attends = experiment.repeatedLayer().value_or(Layer::Mlp) != Layer::Mlp;
    const std::int64_t heads = attends ? experiment.kvHeads * experiment.headSize() : experiment.hidden;
    return std::min({experiment.hidden, experiment.ffn, heads});
}

/// Whether chance evens out in the result and in what it was computed from.
bool isTelling(const Experiment &experiment, const Tensor &result)
{
    return std::min(result.elements(), experiment.globalTokens() * narrowestWidth(experiment)) >= kTellingElements;
}

/// Sums over the ranks, one after another: each attention or MLP ends with one.
std::int64_t depthOf(const Experiment &experiment)
{
    return experiment.repeatedLayer() ? experiment.layers : 1;
}

/// Of a sample of this rank's part, how far off the computation on one device is.
SquaredNorms unshardedNorms(const Tensor &result, const HeldPart &mine, const Reference &reference)
{
    if (!mine.held)
        return {};
    if (!reference.covers(result.name, mine.region))
        return kUnknown;
    Region sample = mine.region;
    const std::int64_t fitting = kSampledElements / std::max<std::int64_t>(1, sample.columns.length);
    sample.rows.length = std::min(std::max<std::int64_t>(fitting, 1), sample.rows.length);
    return compare(reference.unsharded(result.name, sample), result.name, sample, reference);
}

/// What the result may be wrong by. Every rank gets the same number.
double limitOf(const Tensor &result, const HeldPart &mine, const Reference &reference, const Plan &plan,
               Communicator &communicator)
{
    // Not the result's: statistics are f32 where they were computed from 16-bit numbers.
    const DType dtype = plan.experiment.dtype;
    if (dtype == DType::F64) // the reference itself
        return errorLimit(dtype);
    double unsharded = std::numeric_limits<double>::infinity();
    if (isTelling(plan.experiment, result))
        unsharded = overRanks(unshardedNorms(result, mine, reference), result, plan.mesh(), communicator);
    return errorLimit(dtype, unsharded, communicator.size(), depthOf(plan.experiment));
}

/// How far off `values` of this rank's part are, in all ranks' parts together; kUnknownError where nobody knows.
double errorOf(const at::Tensor &values, const Tensor &result, const HeldPart &mine, const Reference &reference,
               const Plan &plan, Communicator &communicator)
{
    const SquaredNorms norms = mine.held ? compare(values, result.name, mine.region, reference) : SquaredNorms{};
    const double error = overRanks(norms, result, plan.mesh(), communicator);
    return std::isfinite(error) ? error : kUnknownError;
}

/// How far two computations of this rank's part are from each other, held against the reference's norm.
double distance(const at::Tensor &a, const at::Tensor &b, const Tensor &result, const HeldPart &mine,
                const Reference &reference, const Plan &plan, Communicator &communicator)
{
    SquaredNorms norms;
    if (mine.held)
        norms = {(a.to(at::kDouble) - b.to(at::kDouble)).square().sum().item<double>(),
                 reference.squaredNorm(result.name, mine.region)};
    const double error = overRanks(norms, result, plan.mesh(), communicator);
    return std::isfinite(error) ? error : kUnknownError;
}

/// The reference multiplies all micro-batches and replicas at once, the ranks each its own: products of other sizes,
/// which may be added up in another order inside.
bool isOneBatch(const Experiment &experiment)
{
    return experiment.microBatches == 1 && experiment.extent(MeshAxis::Dp) == 1;
}

/// Beside the ranks' result what one device makes of it, in one piece and in as many as there are ranks: whether the
/// order of a sum is what makes results depend on N. Y is small, so all of it is compared.
void compareWithOneDevice(CheckEvent &check, const at::Tensor &value, const Tensor &result, const HeldPart &mine,
                          const Reference &reference, const Plan &plan, Communicator &communicator)
{
    // The same on every rank: each asks about its own part or, where it has none, about the whole.
    const Region region = mine.held ? mine.region : wholeRegion(result);
    if (!reference.covers(result.name, region) || isBug(plan.experiment.scheme) || !isOneBatch(plan.experiment))
        return;
    const at::Tensor pieces = reference.inPieces(result.name, region);
    if (!pieces.defined())
        return;
    const at::Tensor whole = reference.unsharded(result.name, region);
    check.wholeError = errorOf(whole, result, mine, reference, plan, communicator);
    check.piecesError = errorOf(pieces, result, mine, reference, plan, communicator);
    check.fromWhole = distance(value, whole, result, mine, reference, plan, communicator);
    check.fromPieces = distance(value, pieces, result, mine, reference, plan, communicator);
}

/// What the same layer gives with its weights as they were before they were rounded to int8.
std::optional<Reference> unroundedReference(const Plan &plan, const ValueSource &source, const WorkShare &share)
{
    if (plan.experiment.weightDtype == WeightDType::Same)
        return std::nullopt;
    Experiment unrounded = plan.experiment;
    unrounded.weightDtype = WeightDType::Same;
    return Reference(buildPlan(unrounded, plan.transport), source, share);
}

/// FNV-1a over the bytes.
std::int64_t checksum(const at::Tensor &tensor)
{
    const at::Tensor whole = tensor.contiguous();
    const auto *bytes = static_cast<const unsigned char *>(whole.data_ptr());
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (std::size_t i = 0; i < std::size_t(whole.numel()) * whole.element_size(); ++i)
        hash = (hash ^ bytes[i]) * 0x100000001b3ULL;
    return std::bit_cast<std::int64_t>(hash);
}

/// Whether ranks that hold the same part hold the same bits.
CheckEvent agreement(const Tensor &tensor, const Mesh &mesh, std::int64_t mine, Communicator &communicator)
{
    const auto sums = communicator.gather({mine});
    bool agree = true;
    for (const auto &[region, ranks] : holdersOf(tensor, mesh))
        for (const int rank : ranks)
            agree = agree && sums[std::size_t(rank)] == sums[std::size_t(ranks.front())];
    return {.name = "ranks agree: " + tensor.name, .relativeError = agree ? 0.0 : 1.0, .limit = 0, .passed = agree};
}

CheckEvent verdict(const std::string &name, double error, double limit)
{
    const bool known = std::isfinite(error);
    return {.name = name, .relativeError = known ? error : -1, .limit = limit, .passed = known && error <= limit};
}

} // namespace

Experiment checkedExperiment(const Experiment &experiment)
{
    Experiment checked = experiment;
    const std::int64_t copies = experiment.globalTokens() / experiment.tokens();
    const std::int64_t tokens = std::max<std::int64_t>(1, kCheckedTokens / copies); // of a replica's micro-batch
    if (experiment.phase == Phase::Decode) {
        checked.batch = std::min(experiment.batch, tokens);
        checked.cache = std::min(experiment.cache, kCheckedTokens);
        return checked;
    }
    // Of one token attention has no choice, and its queries and keys get no gradient. Of two sequences one might see
    // the other. Under sequence parallelism each rank needs a token of each sequence.
    const bool cut = experiment.sequenceParallel != SequenceParallel::Off;
    const std::int64_t unit = cut ? experiment.extent(MeshAxis::Tp) : 1;
    const std::int64_t wanted = std::max<std::int64_t>(2, tokens / std::min<std::int64_t>(2, experiment.batch));
    checked.sequence = std::max(unit, std::min(experiment.sequence, wanted) / unit * unit);
    checked.batch = std::clamp<std::int64_t>(tokens / checked.sequence, 1, experiment.batch);
    return checked;
}

double errorLimit(DType dtype)
{
    switch (dtype) {
    case DType::F64:
        return 1e-12;
    case DType::F32:
        return 1e-5;
    case DType::F16:
        return 2e-3;
    case DType::BF16:
        return 1.5e-2;
    case DType::I64:
    case DType::I8:
        break;
    }
    return 0;
}

double errorLimit(DType dtype, double unsharded, int ranks, std::int64_t depth)
{
    // Rounding to nearest is wrong by 0.4 of the unit roundoff in the mean square. Each of N addends and each of their
    // partial sums is rounded once, where sums are made in the dtype itself; relative to the result that is N times
    // the square of one rounding, at most. What one sum after another does independently adds up in squares.
    const double inARow = std::sqrt(double(depth));
    const double addends = 0.4 * unitRoundoff(dtype) * std::sqrt(double(ranks)) * inARow;
    return std::min(errorLimit(dtype) * inARow, 3 * std::hypot(unsharded, addends));
}

bool isHeldTwice(const Tensor &tensor, const Mesh &mesh)
{
    if (isAddend(tensor))
        return false;
    const auto holders = holdersOf(tensor, mesh);
    return std::any_of(holders.begin(), holders.end(), [](const auto &each) { return each.second.size() > 1; });
}

std::vector<CheckEvent> checkResults(const Plan &plan, const Executor &executor, const ValueSource &source,
                                     Communicator &communicator)
{
    const c10::NoGradGuard noGradients;
    const c10::Device device = executor.torchDevice();
    const WorkShare share{communicator.rank(), communicator.size(), [&](at::Tensor &tensor) {
                              at::Tensor there = tensor.to(device);
                              communicator.allReduce(there, Algorithm::Library);
                              executor.settle();
                              tensor.copy_(there);
                          }};
    const Reference reference(plan, source, share);
    const std::optional<Reference> unrounded = unroundedReference(plan, source, share);
    std::vector<CheckEvent> checks;
    for (const TensorId id : plan.results) {
        const Tensor &tensor = plan.tensor(id);
        const HeldPart mine = heldPart(tensor, plan.mesh(), communicator.rank());
        const at::Tensor value = executor.value(id).defined() ? executor.value(id).cpu() : at::Tensor();
        const SquaredNorms norms = mine.held ? compare(value, tensor.name, mine.region, reference) : SquaredNorms{};
        const double error = overRanks(norms, tensor, plan.mesh(), communicator);
        const double limit = limitOf(tensor, mine, reference, plan, communicator);
        CheckEvent check = verdict(tensor.name, error, limit);
        compareWithOneDevice(check, value, tensor, mine, reference, plan, communicator);
        if (unrounded)
            check.quantizationError = errorOf(value, tensor, mine, *unrounded, plan, communicator);
        checks.push_back(std::move(check));
        if (isHeldTwice(tensor, plan.mesh()))
            checks.push_back(agreement(tensor, plan.mesh(), mine.held ? checksum(value) : 0, communicator));
    }
    return checks;
}

} // namespace shardscope
