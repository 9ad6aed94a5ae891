// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/measured_page.h"

class QComboBox;

namespace shardscope {

/// One rank beside several at small batches: from where on are more ranks faster, and why not before?
class LowLoadPage : public MeasuredPage
{
    Q_OBJECT
public:
    explicit LowLoadPage(QWidget *parent = nullptr);

    /// "--phase decode".
    [[nodiscard]] QString options() const override;
    void setOptions(const QString &words) override;
    [[nodiscard]] std::vector<Experiment> wantedRuns() const override;

protected:
    void showInput() override;

private:
    [[nodiscard]] Phase phase() const;

    QComboBox *m_phase;
};

} // namespace shardscope
