// SPDX-License-Identifier: MIT
#pragma once

namespace gloo::transport {
class Device;
} // namespace gloo::transport
