// SPDX-License-Identifier: MIT
#include "engine/record/summation.h"

#include "engine/record/format.h"

#include <algorithm>

namespace shardscope {
namespace {

/// The order of the sum explains the difference where the pieces leave less than that of it.
constexpr double kMostOfIt = 0.5;

} // namespace

const CheckEvent *outputCheck(const Run &run)
{
    const auto found = std::ranges::find_if(
        run.checks, [](const CheckEvent &check) { return check.name == "Y" || check.name.starts_with("Y#"); });
    return found == run.checks.end() ? nullptr : &*found;
}

std::optional<Text> summationFinding(const Run &run)
{
    const CheckEvent *check = outputCheck(run);
    if (check == nullptr || check->wholeError == kUnknownError || check->relativeError == kUnknownError)
        return std::nullopt;
    if (check->fromWhole == 0) // a sum so short that it is made in one order anyway
        return std::nullopt;
    Text finding{TextId::SummationBitwise,
                 {check->name, formatScientific(check->relativeError),
                  std::to_string(run.experiment().extent(MeshAxis::Tp)), formatScientific(check->wholeError),
                  formatScientific(check->fromWhole)}};
    if (check->fromPieces == 0)
        return finding;
    const bool explained = check->fromPieces <= kMostOfIt * check->fromWhole;
    finding.id = explained ? TextId::SummationNear : TextId::SummationOther;
    finding.args.push_back(formatScientific(check->fromPieces));
    return finding;
}

std::optional<Text> quantizationFinding(const Run &run)
{
    const CheckEvent *check = outputCheck(run);
    if (check == nullptr || check->quantizationError == kUnknownError)
        return std::nullopt;
    return Text{TextId::QuantizationMoves, {check->name, formatPercent(check->quantizationError)}};
}

} // namespace shardscope
