// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/hardware_values.h"
#include "ui/pages/page.h"

namespace shardscope {

/// What the machine that runs the ranks is made of and how busy it is, and what is predicted for.
class HardwarePage : public Page
{
    Q_OBJECT
public:
    explicit HardwarePage(QWidget *parent = nullptr);

    void setInput(const PageInput &input) override;
    void setMachine(const EngineMachine &machine) override;
    /// Without how busy the machine is at this moment.
    [[nodiscard]] PagePicture exported() const override;

private:
    void refresh();

    PageInput m_input;
    EngineMachine m_machine;
};

} // namespace shardscope
