// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/page.h"
#include "ui/pages/traffic_values.h"

class QComboBox;

namespace shardscope {

/// Which rank sends how much to which other one in a step of the workbench's layer.
class TrafficPage : public Page
{
    Q_OBJECT
public:
    explicit TrafficPage(QWidget *parent = nullptr);

    void setInput(const PageInput &input) override;
    /// "--axis tp".
    [[nodiscard]] QString options() const override;
    void setOptions(const QString &words) override;

private:
    /// What was chosen, where the mesh has it.
    [[nodiscard]] std::optional<MeshAxis> axis() const;
    void showAxes();
    void refresh();

    PageInput m_input;
    QComboBox *m_axis;
    QString m_wanted;       ///< id of the axis; empty: all. Kept for meshes that have it
    bool m_showing = false; ///< the list is being filled
};

} // namespace shardscope
