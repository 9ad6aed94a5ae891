// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace shardscope {

/// From here on Ctrl-C, SIGTERM and SIGHUP end an export with one word and status 130 of the contract; the engine sees
/// its input end and goes, too.
void endExportWhenInterrupted();

} // namespace shardscope
