// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/hardware_page.h"

#include "ui/pages/hardware_sheet.h"
#include "ui/pages/page_controls.h"

namespace shardscope {

HardwarePage::HardwarePage(QWidget *parent) : Page(tr("The machine and its links"), parent)
{
    controls().addText(tr("What runs the ranks: cores, memory, GPUs and the links between these, as the system and "
                          "NVIDIA's management library (NVML) tell. While ranks compute, how busy all of it is."));
    controls().addText(tr("Below stands the machine that is predicted for, as chosen in the workbench, or one for "
                          "comparison: solid is what is "
                          "there, dashed what a data sheet says."));
    controls().addText(tr("A picture that is exported leaves out how busy the machine is."));
}

void HardwarePage::setInput(const PageInput &input)
{
    m_input = input;
    refresh();
}

void HardwarePage::setMachine(const EngineMachine &machine)
{
    m_machine = machine;
    refresh();
}

PagePicture HardwarePage::exported() const
{
    return hardwarePicture(hardwareValues(m_input, m_machine, LiveValues::Left));
}

void HardwarePage::refresh()
{
    updatePicture(hardwarePicture(hardwareValues(m_input, m_machine, LiveValues::Shown)));
}

} // namespace shardscope
