// SPDX-License-Identifier: MIT
#include "engine/simulate/network.h"

#include <algorithm>

namespace shardscope {
namespace {

double byProtocol(const LinkCost &link, double ll, double ll128, double simple)
{
    return link.protocol == "LL" ? ll : link.protocol == "LL128" ? ll128 : simple;
}

} // namespace

double linkGBs(const Hardware &hardware)
{
    return std::ranges::max(hardware.allReduce, {}, &LinkCost::busbwGBs).busbwGBs;
}

double networkGBs(const Hardware &hardware)
{
    return std::min(kNetworkGBs, linkGBs(hardware));
}

double acrossNodesGBs(const Hardware &hardware, int together)
{
    return std::min(linkGBs(hardware), together * kNetworkGBs);
}

double busbwGBs(const LinkCost &link, const GroupSpan &group, const Hardware &hardware)
{
    if (group.nodes == 1)
        return link.busbwGBs;
    return std::min(link.busbwGBs, byProtocol(link, 0.5, 0.92, 1) * acrossNodesGBs(hardware, group.together));
}

double ringHopSeconds(const LinkCost &link)
{
    return byProtocol(link, 2.7e-6, 4.0e-6, 14.0e-6);
}

double treeHopSeconds(const LinkCost &link)
{
    return byProtocol(link, 5.0e-6, 8.5e-6, 14.0e-6);
}

} // namespace shardscope
