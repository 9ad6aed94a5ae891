// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/memory_values.h"
#include "ui/pages/page.h"

class QCheckBox;
class QComboBox;
class QSpinBox;

namespace shardscope {

/// What lies in the memory of one GPU of a model under a layout, term by term, against a card.
class MemoryPage : public Page
{
    Q_OBJECT
public:
    explicit MemoryPage(QWidget *parent = nullptr);

    /// As `shardscope-engine memory` reads them, and --hardware.
    [[nodiscard]] QString options() const override;
    void setOptions(const QString &words) override;

private:
    void addControls();
    void addTrainingControls();
    void connectControls();
    [[nodiscard]] const Model &model() const;
    [[nodiscard]] MemorySettings settings() const;
    void show(const Model &model, const MemorySettings &settings, const Hardware &hardware);
    /// Shows what is set, or says why that cannot be and keeps the picture.
    void refresh();
    /// What nobody is there to share with cannot be shared.
    void enableWhatApplies();

    QComboBox *m_model = nullptr;
    QComboBox *m_hardware = nullptr;
    QSpinBox *m_tp = nullptr;
    QSpinBox *m_pp = nullptr;
    QSpinBox *m_dp = nullptr;
    QComboBox *m_zero = nullptr;
    QCheckBox *m_sequenceParallel = nullptr;
    QComboBox *m_recompute = nullptr;
    QComboBox *m_bytesPerParameter = nullptr;
    QSpinBox *m_batch = nullptr;
    QSpinBox *m_sequence = nullptr;
    QSpinBox *m_microBatches = nullptr;
    QComboBox *m_weights = nullptr;
    bool m_showing = false; ///< values are being brought to the controls
};

} // namespace shardscope
