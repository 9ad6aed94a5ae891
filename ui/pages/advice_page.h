// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/advice_values.h"
#include "ui/pages/page.h"

class QComboBox;
class QDoubleSpinBox;
class QSpinBox;

namespace shardscope {

class SegmentedChoice;

/// Which TP, PP and DP fit a model on given GPUs and links, and why not the others.
class AdvicePage : public Page
{
    Q_OBJECT
public:
    explicit AdvicePage(QWidget *parent = nullptr);

    /// As `shardscope-engine advise` reads them, and --phase.
    [[nodiscard]] QString options() const override;
    void setOptions(const QString &words) override;

private:
    void addControls();
    void connectControls();
    [[nodiscard]] OptionValues values() const;
    void refresh();

    SegmentedChoice *m_phase = nullptr;
    QComboBox *m_model = nullptr;
    QComboBox *m_hardware = nullptr;
    QSpinBox *m_gpus = nullptr;
    QComboBox *m_bytesPerParameter = nullptr;
    QSpinBox *m_stepSequences = nullptr;
    QSpinBox *m_serveSequences = nullptr;
    QDoubleSpinBox *m_latency = nullptr; ///< milliseconds; 0: no target
    bool m_showing = false;              ///< values are being brought to the controls
};

} // namespace shardscope
