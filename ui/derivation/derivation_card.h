// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/derivation/derivation_content.h"
#include "ui/look.h"

#include <optional>

class QComboBox;
class QScrollArea;

namespace shardscope {

/// Why one step communicates as it does, beside the picture: it follows the picture's step, and a list leads to every
/// collective and weight gradient.
class DerivationCard : public Card
{
    Q_OBJECT
public:
    explicit DerivationCard(QWidget *parent = nullptr);

    /// Another plan, and the step of it that is shown.
    void setPlan(std::shared_ptr<const Plan> plan, int step);
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
    void fillList();
    void showContent();

    Look m_look;
    std::shared_ptr<const Plan> m_plan;
    Results m_results;
    std::optional<RunSummary> m_ran; ///< of the results, once it has been asked for
    int m_step = 0;
    bool m_listed = false; ///< the list is that of the plan
    DerivationContent m_content;
    QComboBox *m_list;
    QScrollArea *m_scroll;
    TextLabel *m_text;
};

} // namespace shardscope
