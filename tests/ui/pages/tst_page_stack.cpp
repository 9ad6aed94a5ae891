// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/page_stack.h"

#include "tests/ui/shown_window.h"
#include "ui/pages/page_canvas.h"
#include "ui/pages/page_list.h"
#include "ui/panels/segmented_choice.h"
#include "ui/window_actions.h"
#include "ui/workbench.h"

#include <QAction>
#include <QMenu>
#include <QSignalSpy>

using namespace shardscope;

class TestPageStack : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        m_style = new AppStyle;
        QApplication::setStyle(m_style);
        m_window = shownWindow(*m_style);
    }
    void cleanupTestCase() { m_window.reset(); }
    void init() { m_window->pages().showPage(PageId::Workbench); }

    /// The window opens without any of them.
    void pagesAreBuiltWhenFirstShown()
    {
        MainWindow fresh(*m_style);
        fresh.setLook({&Theme::light(), 1});
        QCOMPARE(fresh.findChildren<Page *>().size(), 0);
        fresh.pages().showPage(PageId::Memory);
        QCOMPARE(fresh.findChildren<Page *>().size(), 1);
        fresh.pages().showPage(PageId::Workbench);
        fresh.pages().showPage(PageId::Memory);
        QCOMPARE(fresh.findChildren<Page *>().size(), 1);
    }

    void everyPageHasATitleATooltipAndAPicture()
    {
        for (const PageInfo &info : pageList()) {
            QVERIFY(!pageTitle(info).isEmpty());
            QVERIFY(pageTooltip(info).contains("Alt+"));
            if (info.id == PageId::Workbench)
                continue;
            const Page *page = m_window->pages().page(info.id);
            QVERIFY(page);
            QVERIFY2(page->picture().paint && !page->picture().finding.isEmpty(), info.title);
            QVERIFY(!page->picture().provenance.isEmpty());
            QCOMPARE(pageOf(viewOf(info.id)), std::optional(info.id));
            QCOMPARE(pictureViewFromName(pictureViewName(viewOf(info.id))), std::optional(viewOf(info.id)));
        }
    }

    void keysAndTheSwitchAgree()
    {
        auto *pages = m_window->findChild<SegmentedChoice *>();
        QCOMPARE(pages->accessibleName(), QStringLiteral("Page"));
        QTest::keyClick(m_window.get(), Qt::Key_2, Qt::AltModifier);
        QVERIFY(m_window->pages().current() == pageList()[1].id);
        QCOMPARE(pages->index(), 1);
        QTest::keyClick(m_window.get(), Qt::Key_1, Qt::AltModifier);
        QVERIFY(m_window->pages().current() == PageId::Workbench);
        QCOMPARE(pages->index(), 0);
    }

    /// More pages than the digits from 1 to 9.
    void everyPageHasKeysOfItsOwn()
    {
        QSet<QString> keys;
        for (std::size_t place = 0; place < pageList().size(); ++place) {
            const QString own = pageKeys(static_cast<qsizetype>(place));
            keys.insert(QKeySequence(own).toString());
            QVERIFY(pageTooltip(pageList()[place]).contains(own));
        }
        QCOMPARE(keys.size(), static_cast<qsizetype>(pageList().size()));
        QTest::keyClick(m_window.get(), Qt::Key_0, Qt::AltModifier);
        QVERIFY(m_window->pages().current() == pageList()[9].id);
    }

    /// Where the switch would not fit, a menu has its place: at 1280 pixels nothing of the header is cut off.
    void aNarrowWindowHasAMenuOfPages()
    {
        auto *choice = m_window->findChild<SegmentedChoice *>();
        m_window->resize(2600, 900);
        QTRY_VERIFY(choice->isVisible());
        m_window->resize(1280, 720);
        QTRY_VERIFY(!choice->isVisible());
        QCOMPARE(m_window->width(), 1280);
        QPushButton *menu = nullptr;
        for (QPushButton *button : m_window->findChildren<QPushButton *>()) {
            if (button->text().startsWith(QLatin1String("&Page:")))
                menu = button;
        }
        QVERIFY(menu && menu->isVisible());
        QCOMPARE(menu->menu()->actions().size(), static_cast<qsizetype>(pageList().size()));
        menu->menu()->actions()[2]->trigger();
        QVERIFY(m_window->pages().current() == pageList()[2].id);
        QVERIFY(menu->text().contains(pageTitle(pageList()[2])));
        QVERIFY(menu->menu()->actions()[2]->isChecked());
        QCOMPARE(choice->index(), 2);
        m_window->resize(2600, 900);
        QTRY_VERIFY(choice->isVisible() && !menu->isVisible());
    }

    /// The picture that is out of sight stands still.
    void keysOfThePictureAreTheWorkbenchs()
    {
        m_window->workbench().playback().setPosition(0);
        m_window->pages().showPage(PageId::Memory);
        m_window->setFocus();
        QTest::keyClick(m_window.get(), Qt::Key_End);
        QCOMPARE(m_window->workbench().playback().position(), 0.0);
    }

    void anExportIsOfThePageThatIsShown()
    {
        QSignalSpy asked(m_window.get(), &MainWindow::exportRequested);
        m_window->pages().showPage(PageId::Memory);
        m_window->actions().exportPicture->trigger();
        QCOMPARE(asked.last().first().value<PictureView>(), PictureView::Memory);
    }

    void theKeyboardReachesWhatTheMouseDoes()
    {
        Page *page = m_window->pages().page(PageId::Memory);
        m_window->pages().showPage(PageId::Memory);
        auto *canvas = page->findChild<PageCanvas *>();
        QVERIFY(!canvas->spots().empty());
        canvas->setFocus();
        QCOMPARE(canvas->accessibleDescription(), page->picture().finding);
        QTest::keyClick(canvas, Qt::Key_Down);
        QCOMPARE(canvas->accessibleDescription(), canvas->spots().front().details);
        QTest::keyClick(canvas, Qt::Key_Up);
        QCOMPARE(canvas->accessibleDescription(), canvas->spots().front().details);
        QSignalSpy activated(canvas, &PageCanvas::spotActivated);
        QTest::keyClick(canvas, Qt::Key_Return);
        QCOMPARE(activated.last().first().toInt(), 0);
    }

    /// Also of a page that is not shown again before the window closes.
    void settingsOfPagesAreKept()
    {
        PageStack first(new QWidget);
        first.page(PageId::Memory)->setOptions(QStringLiteral("--model llama3-8b --tp 4"));
        const QString options = first.page(PageId::Memory)->options();
        PageStack second(new QWidget);
        second.restoreState(first.saveState());
        PageStack third(new QWidget);
        third.restoreState(second.saveState());
        QCOMPARE(third.page(PageId::Memory)->options(), options);
        third.restoreState("nonsense");
        QCOMPARE(third.page(PageId::Memory)->options(), options);
    }

private:
    AppStyle *m_style = nullptr;
    std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(TestPageStack)
#include "tst_page_stack.moc"
