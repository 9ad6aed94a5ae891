// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window_exports.h"

#include "app/hardware_list.h"
#include "app/run_files.h"
#include "app/session.h"
#include "engine/plan/experiment_options.h"
#include "ui/export/export_dialog.h"
#include "ui/export/picture_file.h"
#include "ui/export/window_picture.h"
#include "ui/main_window.h"
#include "ui/pages/page_list.h"
#include "ui/pages/page_stack.h"
#include "ui/window_actions.h"
#include "ui/workbench.h"

#include <QAction>
#include <QClipboard>
#include <QCoreApplication>
#include <QDir>
#include <QFileDialog>
#include <QFutureWatcher>
#include <QGuiApplication>
#include <QStandardPaths>
#include <QtConcurrentRun>

namespace shardscope {

namespace {

QFileDialog *newFileDialog(QWidget &parent, const QString &title, const QStringList &filters)
{
    auto *dialog = new QFileDialog(&parent, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setNameFilters(filters);
    return dialog;
}

} // namespace

WindowExports::WindowExports(MainWindow &window, Session &session, AppStyle &style)
    : QObject(&window), m_window(window), m_session(session), m_style(style)
{
    connectActions();
}

void WindowExports::connectActions()
{
    WindowActions &actions = m_window.actions();
    connect(&m_window, &MainWindow::exportRequested, this, &WindowExports::showExportDialog);
    connect(&m_window, &MainWindow::copyPictureRequested, this, [this](PictureView view) {
        PictureOptions options;
        options.view = view;
        copyPicture(options);
    });
    connect(&m_window, &MainWindow::fileDropped, this, &WindowExports::openFile);
    connect(actions.copyCommand, &QAction::triggered, this, &WindowExports::copyCommand);
    connect(actions.open, &QAction::triggered, this, &WindowExports::askOpen);
    connect(actions.save, &QAction::triggered, this, &WindowExports::askSave);
}

PictureContent WindowExports::content(PictureView view)
{
    m_session.predictNow();
    PictureContent shown = m_window.workbench().pictureContent();
    if (const auto page = pageOf(view)) {
        shown.page = m_window.pages().page(*page)->exported();
        return shown;
    }
    WindowPictureState state{
        m_session.experiment(),
        m_session.status(),
        hardwareList(m_session.predictor(), m_session.experiment().dtype, m_session.computer().name),
        QString::fromStdString(m_session.predictor().chosen()),
        m_session.autoRun(),
        m_session.computer().mostRanks(),
        m_window.look()};
    shown.paintWindow = [this, inner = shown, state](QPainter &painter, QSizeF size, const Theme &theme) {
        paintWindowPicture(painter, size, theme, m_style, inner, state);
    };
    return shown;
}

void WindowExports::showExportDialog(PictureView view)
{
    auto *dialog = new ExportDialog(view, &m_window);
    connect(dialog, &ExportDialog::saveRequested, this, &WindowExports::savePicture);
    connect(dialog, &ExportDialog::copyRequested, this, &WindowExports::copyPicture);
    dialog->show();
}

void WindowExports::savePicture(const PictureOptions &options)
{
    QFileDialog *dialog = newFileDialog(m_window, tr("Save the picture"),
                                        {tr("PNG picture (*.png)"), tr("SVG drawing (*.svg)"), tr("PDF (*.pdf)")});
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("png"));
    dialog->selectFile(pictureViewName(options.view) + QStringLiteral(".png"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString &filter) {
        dialog->setDefaultSuffix(filter.section(QStringLiteral("*."), 1).chopped(1));
    });
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, options](const QString &file) { writePicture(file, options); });
    dialog->show();
}

void WindowExports::writePicture(const QString &file, const PictureOptions &options)
{
    const QString success = tr("%1 saved.").arg(QDir::toNativeSeparators(file));
    const std::optional<PictureFormat> format = pictureFormatOf(file);
    if (!format) {
        tell(UserMessage::Level::Error, tr("%1: its ending must be .png, .svg or .pdf").arg(file));
        return;
    }
    if (*format != PictureFormat::Png) {
        report(writeWholeFile(file, encodeVector(content(options.view), options, *format)), success);
        return;
    }
    // Painted here, because widgets belong to this thread; the slow part, compression, goes to a worker.
    const QImage image = pictureImage(content(options.view), options);
    inBackground([image, file] { return writeWholeFile(file, encodePng(image)); }, success);
}

void WindowExports::inBackground(std::function<QString()> write, const QString &success)
{
    auto *watcher = new QFutureWatcher<QString>(this);
    connect(watcher, &QFutureWatcher<QString>::finished, this, [this, watcher, success] {
        report(watcher->result(), success);
        watcher->deleteLater();
    });
    watcher->setFuture(QtConcurrent::run(std::move(write)));
}

void WindowExports::copyPicture(const PictureOptions &options)
{
    QGuiApplication::clipboard()->setImage(pictureImage(content(options.view), options));
    tell(UserMessage::Level::Info, tr("The picture (%1) is in the clipboard.").arg(pictureViewName(options.view)));
}

QString WindowExports::shownAsOptions()
{
    const PageId id = m_window.pages().current();
    const std::string hardware = m_session.predictor().chosen();
    // The picture of a preset's prediction runs nothing, there or here.
    const bool runs = id == PageId::Workbench || id == PageId::BugLab || hardware == kThisMachine;
    const QString layer = optionsOf(m_session.experiment(), hardware, runs ? m_session.remote() : QString());
    if (id == PageId::Workbench) {
        const int step = m_window.workbench().stepShown() + 1;
        return step > 1 ? layer + QStringLiteral(" --step %1").arg(step) : layer;
    }
    const QString view = pictureViewName(viewOf(id));
    return QStringLiteral("--export %1 --output %1.png %2")
        .arg(view, pageInfo(id).options ? m_window.pages().page(id)->options() : layer);
}

void WindowExports::copyCommand()
{
    // Pasted anywhere it starts this very program.
    const QString command = shellWord(QCoreApplication::applicationFilePath()) + QLatin1Char(' ') + shownAsOptions();
    QGuiApplication::clipboard()->setText(command);
    tell(UserMessage::Level::Info, tr("In the clipboard: %1").arg(command));
}

void WindowExports::askOpen()
{
    QFileDialog *dialog = newFileDialog(m_window, tr("Open a run"), {tr("Runs (*.shardscope)"), tr("All files (*)")});
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &WindowExports::openFile);
    dialog->show();
}

void WindowExports::askSave()
{
    QFileDialog *dialog = newFileDialog(m_window, tr("Save the run"), {tr("Runs (*.shardscope)")});
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("shardscope"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &file) {
        inBackground([file, runs = m_session.measuredRuns()] { return saveRuns(file, runs); },
                     tr("%1 saved.").arg(QDir::toNativeSeparators(file)));
    });
    dialog->show();
}

void WindowExports::openFile(const QString &file)
{
    // A million lines take a second; the window goes on. The file asked for last is the one shown.
    const int asked = ++m_opening;
    auto *watcher = new QFutureWatcher<OpenedRuns>(this);
    connect(watcher, &QFutureWatcher<OpenedRuns>::finished, this, [this, watcher, file, asked] {
        if (asked == m_opening)
            showOpened(watcher->future().takeResult(), file);
        watcher->deleteLater();
    });
    watcher->setFuture(QtConcurrent::run([file] { return openRuns(file); }));
}

void WindowExports::showOpened(OpenedRuns opened, const QString &file)
{
    if (!opened.problem.isEmpty()) {
        m_window.showMessage({UserMessage::Level::Error, opened.problem, {}, {MessageAction::OpenFile}});
        return;
    }
    m_session.showRecorded(std::move(opened.runs), QDir::toNativeSeparators(file));
    if (!opened.note.isEmpty())
        tell(UserMessage::Level::Warning, opened.note, tr("What is whole is shown."));
    Q_EMIT this->opened();
}

void WindowExports::report(const QString &problem, const QString &success)
{
    if (problem.isEmpty())
        tell(UserMessage::Level::Info, success);
    else
        tell(UserMessage::Level::Error, problem);
}

void WindowExports::tell(UserMessage::Level level, const QString &text, const QString &remedy)
{
    m_window.showMessage({level, text, remedy, {}});
}

} // namespace shardscope
