// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment.h"
#include "ui/look.h"

#include <QComboBox>
#include <initializer_list>

namespace shardscope {

/// All schemes in their groups, each with a small picture of how it cuts the weights.
class SchemeList : public QComboBox, public LookUser
{
    Q_OBJECT
public:
    explicit SchemeList(QWidget *parent = nullptr);

    /// Shows a scheme without telling anybody.
    void setScheme(Scheme scheme);
    /// Row of a scheme in the list; headings are rows, too.
    [[nodiscard]] int rowOf(Scheme scheme) const;
    void applyLook(const Look &look) override;

Q_SIGNALS:
    void chosen(shardscope::Scheme scheme);

private:
    void addGroup(const QString &title, std::initializer_list<Scheme> schemes);
};

} // namespace shardscope
