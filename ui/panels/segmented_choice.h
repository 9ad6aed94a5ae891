// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/look.h"

#include <QVector>
#include <QWidget>

class QButtonGroup;

namespace shardscope {

/// A few words side by side, one of them chosen; arrows move the choice.
class SegmentedChoice : public QWidget, public LookUser
{
    Q_OBJECT
public:
    struct Option {
        QString text;
        QString tooltip;
    };
    SegmentedChoice(const QString &name, const QVector<Option> &options, QWidget *parent = nullptr);

    /// Shows a choice without telling anybody.
    void setIndex(int index);
    [[nodiscard]] int index() const;
    /// Whether a word can be chosen, and what its tooltip says.
    void setState(int index, bool enabled, const QString &tooltip);
    void applyLook(const Look &look) override;

Q_SIGNALS:
    void chosen(int index);

private:
    QButtonGroup *m_group;
};

} // namespace shardscope
