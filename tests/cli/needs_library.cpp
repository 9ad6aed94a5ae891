// SPDX-License-Identifier: MIT
// A rank host that is linked to a library which the loader does not find.
extern "C" int cuInit(unsigned);

int main()
{
    return cuInit(0);
}
