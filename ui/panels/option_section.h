// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/look.h"
#include "ui/panels/experiment_section.h"
#include "ui/panels/segmented_choice.h"

#include <functional>
#include <vector>

class QComboBox;
class QVBoxLayout;

namespace shardscope {

/// A caption and one control for each of some options of the command line. What the scheme does not use is not shown;
/// a word that does not go with the other settings is disabled, and its tooltip says why.
class OptionSection : public ExperimentSection, public LookUser
{
    Q_OBJECT
public:
    explicit OptionSection(const QString &caption, QWidget *parent = nullptr);

    void addNumber(const char *option, const QString &label, const QString &tooltip, int least, int most);
    void addSwitch(const char *option, const QString &label, const QString &tooltip);
    struct Word {
        const char *value; ///< as on the command line
        QString text;
        QString tooltip;
    };
    /// A few short words side by side.
    void addChoice(const char *option, const QString &label, const std::vector<Word> &words);
    /// A pair of delays in milliseconds, "FORWARD:BACKWARD" on the command line; both 0 are its "none".
    void addDelays(const char *option, const QString &forward, const QString &backward, const QString &tooltip);
    /// Longer ones in a list.
    void addList(const char *option, const QString &label, const QString &tooltip, const std::vector<Word> &words);
    void applyLook(const Look &look) override;

protected:
    void showExperiment() override;

private:
    struct Row {
        const char *option;
        QWidget *widget;
        std::function<void()> show; ///< brings the control to the experiment
    };
    void addRow(const char *option, QWidget *widget, std::function<void()> show);
    void setOption(const char *option, const QString &value);
    [[nodiscard]] QString valueOf(const char *option) const;

    TextLabel *m_caption;
    QVBoxLayout *m_column;
    std::vector<Row> m_rows;
};

} // namespace shardscope
