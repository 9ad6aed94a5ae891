// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/look.h"

#include <QPair>
#include <QVector>
#include <vector>

class QCheckBox;
class QComboBox;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace shardscope {

/// The card on the left of a page: labelled controls one below the other, and a line that says why a setting does not
/// go. It scrolls where the window is low.
class PageControls : public Card
{
    Q_OBJECT
public:
    explicit PageControls(const QString &title, QWidget *parent = nullptr);

    void addCaption(const QString &text);
    /// What the page shows, in a few sentences.
    void addText(const QString &text);
    /// `items`: id and text; the id is the item's data.
    QComboBox *addList(const QString &label, const QVector<QPair<QString, QString>> &items, const QString &tooltip);
    /// Its arrows go from stop to stop; any number from `least` to `most` can be typed.
    QSpinBox *addNumber(const QString &label, std::vector<int> stops, int least, int most, const QString &tooltip);
    QCheckBox *addSwitch(const QString &label, const QString &tooltip);
    QPushButton *addButton(const QString &label, const QString &tooltip);
    /// Any other control below its label.
    void addRow(const QString &label, QWidget *control, const QString &tooltip);
    void addWidget(QWidget *widget);

    /// Why what was asked for is not shown; empty: it is.
    void setProblem(const QString &problem);
    void applyLook(const Look &look) override;

private:
    void addRow(const QString &label, QWidget *control, bool below);

    QVBoxLayout *m_column;
    TextLabel *m_problem;
};

} // namespace shardscope
