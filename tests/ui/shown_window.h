// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/app_style.h"
#include "ui/main_window.h"

#include <QApplication>
#include <QPushButton>
#include <QTest>
#include <memory>

namespace shardscope {

/// The main window on the default experiment, on screen.
[[nodiscard]] inline std::unique_ptr<MainWindow> shownWindow(AppStyle &style)
{
    auto window = std::make_unique<MainWindow>(style);
    window->setLook({&Theme::light(), 1});
    const Experiment experiment;
    window->setExperiment(experiment, std::make_shared<const Plan>(buildPlan(experiment)));
    window->show();
    if (!QTest::qWaitForWindowExposed(window.get()))
        qFatal("the window does not come on screen");
    return window;
}

/// The button with that text, mnemonics aside; null without one.
[[nodiscard]] inline QPushButton *buttonWith(const QWidget &parent, const QString &text)
{
    for (QPushButton *button : parent.findChildren<QPushButton *>()) {
        if (button->text().remove(QLatin1Char('&')) == text)
            return button;
    }
    return nullptr;
}

} // namespace shardscope
