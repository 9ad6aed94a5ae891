// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/arguments.h"
#include "app/display_check.h"
#include "app/headless_export.h"
#include "app/window_wiring.h"
#include "engine/record/exit_code.h"
#include "engine/supervise/interrupt_flag.h"
#include "ui/app_style.h"

#include <QApplication>
#include <QTextStream>
#include <QTimer>
#include <clocale>
#include <cstdio>

using namespace shardscope;

namespace {

int refuse(int exitCode, const QString &problem)
{
    QTextStream(stderr) << "shardscope: " << problem << Qt::endl;
    return exitCode;
}

/// Words of the command line without the program; QApplication takes its own away, so they are read before it exists.
QStringList wordsOf(int argc, char **argv)
{
    QStringList words;
    for (int i = 1; i < argc; ++i)
        words << QString::fromLocal8Bit(argv[i]);
    return words;
}

/// A picture needs no window system's advice; what concerns the user is said by the export itself.
void keepSilent(QtMsgType type, const QMessageLogContext &, const QString &text)
{
    if (type == QtCriticalMsg || type == QtFatalMsg)
        QTextStream(stderr) << text << Qt::endl;
}

int exportPicture(const Arguments &arguments, AppStyle &style)
{
    noteInterrupts();
    HeadlessExport exporter(arguments, style);
    exporter.setInterrupted(interruptNoted);
    QTimer asking;
    QObject::connect(&asking, &QTimer::timeout, &exporter, &HeadlessExport::cancelled);
    constexpr int kAskedEveryMs = 50;
    asking.start(kAskedEveryMs);
    QObject::connect(&exporter, &HeadlessExport::finished, qApp, &QCoreApplication::exit, Qt::QueuedConnection);
    QTimer::singleShot(0, &exporter, &HeadlessExport::start);
    return QApplication::exec();
}

int showWindow(const Arguments &arguments, AppStyle &style)
{
    WindowWiring wiring(arguments, style);
    wiring.start();
    return QApplication::exec();
}

} // namespace

int main(int argc, char **argv)
{
    const QStringList words = wordsOf(argc, argv);
    const ArgumentsResult read = readArguments(words);
    if (!read.problem.isEmpty())
        return refuse(kBadArguments, read.problem);
    const Arguments &arguments = read.arguments;
    if (arguments.mode == Arguments::Mode::Help || arguments.mode == Arguments::Mode::Version) {
        QTextStream(stdout) << (arguments.mode == Arguments::Mode::Help
                                    ? helpText()
                                    : QStringLiteral("shardscope " SHARDSCOPE_VERSION "\n"));
        return 0;
    }
    const bool exports = arguments.mode == Arguments::Mode::Export;
    if (exports) {
        qInstallMessageHandler(keepSilent);
        qputenv("QT_QPA_PLATFORM", "offscreen"); // whatever display there is, none is needed
    } else if (const QString problem = displayProblem(); !problem.isEmpty())
        return refuse(kFailed, problem);
    QCoreApplication::setApplicationName(QStringLiteral("Shardscope"));
    int ownArgc = 1;
    QApplication application(ownArgc, argv);
    // QApplication takes the user's locale over into C's; the engine's numbers are those of the C locale.
    std::setlocale(LC_NUMERIC, "C");
    auto *style = new AppStyle;
    QApplication::setStyle(style);
    return exports ? exportPicture(arguments, *style) : showWindow(arguments, *style);
}
