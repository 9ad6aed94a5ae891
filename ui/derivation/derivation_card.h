// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/derivation/derivation_content.h"
#include "ui/look.h"

class QComboBox;
class QGridLayout;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace shardscope {

/// Why one step communicates as it does, beside the picture: it follows the picture's step, and a list leads to every
/// collective and weight gradient.
class DerivationCard : public Card
{
    Q_OBJECT
public:
    explicit DerivationCard(QWidget *parent = nullptr);

    /// Null: nothing is shown.
    void setPlan(std::shared_ptr<const Plan> plan);
    void setResults(const Results &results);
    /// Shows that step of the plan.
    void setStep(int step);
    [[nodiscard]] int step() const { return m_step; }
    [[nodiscard]] const DerivationContent &content() const { return m_content; }
    void applyLook(const Look &look) override;

Q_SIGNALS:
    void closed();
    /// The list led to that step.
    void stepChosen(int step);

protected:
    void showEvent(QShowEvent *event) override;

private:
    void copy() const;
    void fillList();
    void showContent();
    void addText(const QString &text, double pixels, int weight, TextLabel::Role role,
                 Qt::TextFormat format = Qt::PlainText);

    Look m_look;
    std::shared_ptr<const Plan> m_plan;
    Results m_results;
    int m_step = 0;
    bool m_listed = false; ///< the list is that of the plan
    DerivationContent m_content;
    QComboBox *m_list;
    QPushButton *m_copy;
    QPushButton *m_close;
    QScrollArea *m_scroll;
    QVBoxLayout *m_lines = nullptr; ///< of the content shown
};

} // namespace shardscope
