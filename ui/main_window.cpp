// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include "ui/app_style.h"
#include "ui/header_bar.h"
#include "ui/message_bar.h"
#include "ui/pages/page_list.h"
#include "ui/pages/page_stack.h"
#include "ui/panels/experiment_panel.h"
#include "ui/text_window.h"
#include "ui/window_actions.h"
#include "ui/workbench.h"

#include <QAction>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMimeData>
#include <QScrollArea>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>

namespace shardscope {

namespace {

constexpr int kPlaceVersion = 1;
constexpr double kScaleStep = 1.25;

} // namespace

MainWindow::MainWindow(AppStyle &style, QWidget *parent)
    : QMainWindow(parent), m_style(style), m_header(new HeaderBar), m_messages(new MessageBar),
      m_workbench(new Workbench), m_scroll(new QScrollArea), m_pages(new PageStack(m_scroll)),
      m_actions(new WindowActions(*this))
{
    setWindowTitle(QStringLiteral("Shardscope"));
    setAcceptDrops(true);
    buildContent();
    fillExportMenu();
    connectActions();
    connectPages();
    resize(1440, 860);
    m_workbench->focusPicture();
}

void MainWindow::buildContent()
{
    m_scroll->setWidget(m_workbench);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    auto *content = new QWidget;
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(m_messages);
    column->addWidget(m_pages, 1);
    setCentralWidget(content);
}

void MainWindow::fillExportMenu()
{
    auto *menu = new QMenu(this);
    for (const PictureView view : pictureViews())
        menu->addAction(pictureViewTitle(view) + QChar(0x2026), this, [this, view] { Q_EMIT exportRequested(view); });
    menu->addSeparator();
    menu->addActions({m_actions->copyPicture, m_actions->copyCommand, m_actions->save});
    m_header->setMenus(menu, m_actions->newMainMenu(*this));
    m_header->setThemeAction(m_actions->theme);
}

void MainWindow::connectActions()
{
    connect(m_header, &HeaderBar::runRequested, this, &MainWindow::runRequested);
    connect(m_header, &HeaderBar::cancelRequested, this, &MainWindow::cancelRequested);
    connect(m_messages, &MessageBar::actionChosen, this, &MainWindow::messageActionChosen);
    connect(m_actions->run, &QAction::triggered, this, &MainWindow::runRequested);
    connect(m_actions->cancel, &QAction::triggered, this, &MainWindow::cancelRequested);
    connect(m_actions->exportPicture, &QAction::triggered, this, [this] { Q_EMIT exportRequested(activeView()); });
    connect(m_actions->copyPicture, &QAction::triggered, this, [this] { Q_EMIT copyPictureRequested(activeView()); });
    connect(m_actions->theme, &QAction::triggered, this, &MainWindow::toggleTheme);
    for (QAction *action : m_actions->themes)
        connect(action, &QAction::triggered, this, [this, action] {
            setLook({&Theme::byId(action->data().toString()), m_look.unit});
        });
    connect(m_actions->larger, &QAction::triggered, this, [this] { scaleBy(kScaleStep); });
    connect(m_actions->smaller, &QAction::triggered, this, [this] { scaleBy(1 / kScaleStep); });
    connect(m_actions->normalSize, &QAction::triggered, this, [this] { setLook({m_look.theme, 1}); });
    connect(m_actions->keys, &QAction::triggered, this, [this] { showKeyList(*this); });
}

void MainWindow::connectPages()
{
    QVector<QPair<QString, QString>> words;
    for (const PageInfo &page : pageList())
        words.append({pageTitle(page), pageTooltip(page)});
    m_header->setPages(words);
    connect(m_header, &HeaderBar::pageChosen, this,
            [this](int index) { m_pages->showPage(pageList()[static_cast<std::size_t>(index)].id); });
    for (QAction *action : m_actions->pages) {
        connect(action, &QAction::triggered, this,
                [this, action] { m_pages->showPage(static_cast<PageId>(action->data().toInt())); });
    }
    connect(m_pages, &PageStack::pageChanged, this, [this](PageId id) {
        const PageInfo &page = pageInfo(id);
        m_header->setPage(static_cast<int>(&page - pageList().data()));
        m_header->setRunShown(page.ofTheLayer);
    });
    connect(m_pages, &PageStack::experimentChosen, this, &MainWindow::experimentChosen);
    connect(m_pages, &PageStack::runsWanted, this, &MainWindow::runsWanted);
}

PictureView MainWindow::activeView() const
{
    return m_pages->current() == PageId::Workbench ? m_workbench->activeView() : viewOf(m_pages->current());
}

void MainWindow::setExperiment(const Experiment &experiment, std::shared_ptr<const Plan> plan)
{
    m_workbench->setExperiment(experiment, plan);
    m_pages->setExperiment(experiment, std::move(plan));
}

void MainWindow::setResults(const Results &results)
{
    m_workbench->setResults(results);
    m_pages->setResults(results);
    m_actions->save->setEnabled(!results.measured.empty());
}

void MainWindow::setLookups(const RunLookups &lookups)
{
    m_pages->setLookups(lookups);
}

void MainWindow::setStatus(const RunStatus &status)
{
    m_pages->setBusy(status.state == RunStatus::State::Running);
    m_header->setStatus(status);
    m_actions->run->setEnabled(status.canRun || status.canMeasure);
    m_actions->cancel->setEnabled(status.state == RunStatus::State::Running);
}

void MainWindow::setUndoable(bool undo, bool redo)
{
    m_actions->undo->setEnabled(undo);
    m_actions->redo->setEnabled(redo);
}

void MainWindow::showMessage(const UserMessage &message)
{
    m_messages->showMessage(message);
}

void MainWindow::showLog(const QString &log)
{
    showTextWindow(*this, tr("Log of the engine"), log.isEmpty() ? tr("The engine has written nothing.") : log);
}

ExperimentPanel &MainWindow::panel()
{
    return m_workbench->panel();
}

void MainWindow::setLook(const Look &look)
{
    m_look = look;
    m_look.unit = std::clamp(look.unit, kSmallestScale, kLargestScale);
    AppStyle::apply(m_style, m_look);
    m_pages->setLook(m_look);
    applyLookToAll(*this, m_look);
    for (QAction *action : m_actions->themes)
        action->setChecked(action->data().toString() == m_look.theme->id);
}

void MainWindow::scaleBy(double factor)
{
    setLook({m_look.theme, m_look.unit * factor});
}

void MainWindow::toggleTheme()
{
    const bool dark = m_look.theme->id == QLatin1String("dark");
    setLook({dark ? &Theme::light() : &Theme::dark(), m_look.unit});
}

QByteArray MainWindow::savePlace() const
{
    QByteArray bytes;
    QDataStream stream(&bytes, QIODevice::WriteOnly);
    stream << kPlaceVersion << saveGeometry() << m_workbench->saveLayout();
    return bytes;
}

void MainWindow::restorePlace(const QByteArray &place)
{
    QDataStream stream(place);
    int version = 0;
    QByteArray geometry;
    QByteArray layout;
    stream >> version >> geometry >> layout;
    if (stream.status() != QDataStream::Ok || version != kPlaceVersion)
        return;
    restoreGeometry(geometry);
    m_workbench->restoreLayout(layout);
}

void MainWindow::keyPressEvent(QKeyEvent *event)
{
    // Edits, sliders and buttons have taken the keys that are theirs; what arrives here moves the picture.
    const bool moves = m_pages->current() == PageId::Workbench;
    if (event->key() == Qt::Key_T && event->modifiers() == Qt::NoModifier)
        m_actions->theme->trigger();
    else if (!moves || (!handleJumpKey(*event) && !WindowActions::handlePlaybackKey(*event, m_workbench->playback())))
        QMainWindow::keyPressEvent(event);
}

bool MainWindow::handleJumpKey(const QKeyEvent &event)
{
    const int digit = event.key() - Qt::Key_0;
    if (event.key() == Qt::Key_G) {
        m_jump = 0;
        return true;
    }
    if (!m_jump || digit < 0 || digit > 9) {
        m_jump.reset();
        return false;
    }
    // Each digit jumps: 1 goes to step 1, a 2 behind it to step 12.
    m_jump = std::min(10 * *m_jump + digit, 9999);
    m_workbench->goToStep(*m_jump);
    return true;
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    Q_EMIT closing();
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (!urls.isEmpty() && urls.first().isLocalFile())
        Q_EMIT fileDropped(urls.first().toLocalFile());
}

} // namespace shardscope
