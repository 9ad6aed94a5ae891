// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/golden_picture.h"

#include <QPainter>
#include <QTemporaryDir>

using namespace shardscope;

namespace {

QImage plainPicture(QColor colour, QSize size = {100, 100})
{
    return paintPicture(size, [&](QPainter &painter) { painter.fillRect(QRect({}, size), colour); });
}

QImage withDot(QImage image, int side, QColor colour)
{
    QPainter painter(&image);
    painter.fillRect(0, 0, side, side, colour);
    return image;
}

} // namespace

/// The comparer must be able to fail; else every picture test proves nothing.
class TestGoldenPicture : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void equalPicturesAgree()
    {
        const PictureDifference difference = comparePictures(plainPicture(Qt::gray), plainPicture(Qt::gray));
        QVERIFY(difference.acceptable());
        QCOMPARE(difference.largest, 0);
    }
    void toleratesRasterNoise()
    {
        QVERIFY(comparePictures(plainPicture(QColor(100, 100, 100)), plainPicture(QColor(108, 92, 100))).acceptable());
        QVERIFY(comparePictures(withDot(plainPicture(Qt::gray), 10, Qt::red), plainPicture(Qt::gray)).acceptable());
    }
    void seesDifferences()
    {
        QVERIFY(
            !comparePictures(plainPicture(QColor(100, 100, 100)), plainPicture(QColor(100, 109, 100))).acceptable());
        QVERIFY(!comparePictures(withDot(plainPicture(Qt::gray), 11, Qt::red), plainPicture(Qt::gray)).acceptable());
        QVERIFY(!comparePictures(plainPicture(Qt::gray, {100, 99}), plainPicture(Qt::gray)).acceptable());
    }
    void missingReferenceFails()
    {
        if (qEnvironmentVariableIsSet("UPDATE_GOLDEN"))
            QSKIP("references are being written");
        QTemporaryDir folder;
        QVERIFY(goldenProblem(plainPicture(Qt::gray), "absent", folder.path(), folder.path()).contains("no reference"));
        QVERIFY(QFile::exists(folder.filePath("absent-actual.png")));
    }
    void differenceIsWritten()
    {
        if (qEnvironmentVariableIsSet("UPDATE_GOLDEN"))
            QSKIP("references are being written");
        QTemporaryDir folder;
        QVERIFY(plainPicture(Qt::gray).save(folder.filePath("dot.png")));
        const QImage actual = withDot(plainPicture(Qt::gray), 20, Qt::blue);
        QVERIFY(goldenProblem(actual, "dot", folder.path(), folder.path()).contains("differ"));
        const QImage marked(folder.filePath("dot-marked.png"));
        QCOMPARE(marked.pixelColor(5, 5), QColor(220, 0, 0));
        QVERIFY(marked.pixelColor(50, 50) != QColor(220, 0, 0));
    }
    void updateWritesTheReference()
    {
        QTemporaryDir folder;
        qputenv("UPDATE_GOLDEN", "1");
        const QString problem = goldenProblem(plainPicture(Qt::red), "new", folder.path(), folder.path());
        qunsetenv("UPDATE_GOLDEN");
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
        QVERIFY(goldenProblem(plainPicture(Qt::red), "new", folder.path(), folder.path()).isEmpty());
    }
    void fontIsInter() { QVERIFY2(fontProblem().isEmpty(), qPrintable(fontProblem())); }
};

QTEST_MAIN(TestGoldenPicture)
#include "tst_golden_picture.moc"
