// SPDX-License-Identifier: MIT
// Nothing of it is used.
#pragma once
