// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/diagram/sample_plans.h"
#include "tests/ui/golden_picture.h"
#include "ui/diagram/matrix_painter.h"
#include "ui/diagram/scene_painter.h"

#include <QPainter>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <set>

using namespace shardscope;

namespace {

OptionValues optionsOf(const QString &words)
{
    OptionValues values;
    for (const QString &option : words.split(' '))
        values[option.section('=', 0, 0).toStdString()] = option.section('=', 1).toStdString();
    return values;
}

QImage pictureOf(const Plan &plan, double position, const Theme &theme, const QSize &size, double unit,
                 const QString &followed = {})
{
    DiagramFrame frame;
    frame.plan = &plan;
    frame.position = position;
    frame.theme = &theme;
    frame.unit = unit;
    frame.followed = followed;
    return paintPicture(size,
                        [&](QPainter &painter) { paintDiagram(painter, QRectF(QPointF(), QSizeF(size)), frame); });
}

/// Position of hop `hop` of the first collective, plus `fraction`.
double hopPosition(const Plan &plan, int hop, double fraction)
{
    const std::vector<Scene> scenes = sceneList(plan);
    const auto found = std::find_if(scenes.begin(), scenes.end(), [&](const Scene &s) { return s.hop == hop; });
    return static_cast<double>(found - scenes.begin()) + fraction;
}

/// The position of the first step that leaves a partial sum.
double partialPosition(const Plan &plan)
{
    for (const Step &step : plan.steps) {
        const Placement &made = along(plan.tensor(step.outputs.front()).layout, MeshAxis::Tp);
        if (!step.collective && made.kind == PlacementKind::Partial)
            return firstSceneOf(sceneList(plan), step.id);
    }
    return 0;
}

MatrixView view(MatrixView::Look look, int rank)
{
    MatrixView v;
    v.look = look;
    v.ranks = look == MatrixView::Look::Whole ? 1 : 4;
    v.rank = v.owner = rank;
    v.rows = v.columns = 64;
    if (look == MatrixView::Look::Shard) {
        v.held = QRectF(rank / 4.0, 0, 0.25, 1);
        v.columnCuts = {0.25, 0.5, 0.75};
    }
    return v;
}

/// Position of the first scene of the first step that `wanted` accepts.
template <typename Wanted>
double stepPosition(const Plan &plan, Wanted wanted)
{
    const auto found = std::ranges::find_if(plan.steps, wanted);
    return found == plan.steps.end() ? -1 : firstSceneOf(sceneList(plan), found->id);
}

QImage greyMatrix(const MatrixView &v, const Theme &theme)
{
    const QImage picture = paintPicture({96, 96}, [&](QPainter &painter) {
        painter.fillRect(0, 0, 96, 96, theme.surface);
        paintMatrix(painter, QRectF(8, 8, 80, 80), v, theme, 1);
    });
    return picture.convertToFormat(QImage::Format_Grayscale8);
}

/// Where a grey picture has edges: what is left of it when every fill is forgotten.
QImage edges(const QImage &grey)
{
    QImage result(grey.size(), QImage::Format_Grayscale8);
    result.fill(0);
    for (int y = 1; y < grey.height(); ++y) {
        for (int x = 1; x < grey.width(); ++x) {
            const int here = grey.constScanLine(y)[x];
            const int step =
                std::abs(here - grey.constScanLine(y)[x - 1]) + std::abs(here - grey.constScanLine(y - 1)[x]);
            result.scanLine(y)[x] = step > 24 ? 255 : 0;
        }
    }
    return result;
}

double differentShare(const QImage &a, const QImage &b)
{
    int different = 0;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x)
            different += a.constScanLine(y)[x] != b.constScanLine(y)[x];
    }
    return static_cast<double>(different) / (a.width() * a.height());
}

double contrast(const QColor &a, const QColor &b)
{
    const auto luminance = [](const QColor &c) {
        const auto linear = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
        return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
    };
    const double x = luminance(a);
    const double y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

} // namespace

class TestDiagramPictures : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void golden_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("theme");
        const char *const schemes[] = {"column gather-output=on", "row", "mlp"};
        for (const char *scheme : schemes) {
            const QByteArray name = QByteArray(scheme).split(' ').front();
            for (const char *ranks : {"2", "4", "8", "64"}) {
                const QString options = QStringLiteral("scheme=%1 ranks=%2").arg(scheme, ranks);
                // Light and dark in turn: every kind of scene is seen in both.
                const bool even = QByteArray(ranks) == "2" || QByteArray(ranks) == "8";
                QTest::addRow("%s-%s-compute", name.constData(), ranks)
                    << options << "compute" << (even ? "light" : "dark");
                QTest::addRow("%s-%s-hop", name.constData(), ranks) << options << "hop" << (even ? "dark" : "light");
            }
            if (name != "column")
                QTest::addRow("%s-4-partial", name.constData())
                    << QStringLiteral("scheme=%1 ranks=4").arg(scheme) << "partial"
                    << "light";
        }
        QTest::newRow("mlp-8-tree") << "scheme=mlp ranks=8 algorithm=tree"
                                    << "hop"
                                    << "light";
        QTest::newRow("mlp-4-direct") << "scheme=mlp ranks=4 algorithm=direct"
                                      << "direct"
                                      << "dark";
        QTest::newRow("mlp-8-halving-doubling") << "scheme=mlp ranks=8 algorithm=halving-doubling"
                                                << "hop"
                                                << "light";
        QTest::newRow("mlp-1-whole") << "scheme=mlp ranks=1"
                                     << "compute"
                                     << "light";
        QTest::newRow("mlp-4-followed") << "scheme=mlp ranks=4"
                                        << "followed"
                                        << "projector";
    }
    void golden()
    {
        QFETCH(QString, options);
        QFETCH(QString, what);
        QFETCH(QString, theme);
        const Plan plan = planOf(optionsOf(options));
        double position = 0.4;
        if (what == "hop")
            position = hopPosition(plan, 1, 0.4);
        else if (what == "direct")
            position = hopPosition(plan, 0, 0.4);
        else if (what != "compute")
            position = partialPosition(plan);
        const QImage picture =
            pictureOf(plan, position, Theme::byId(theme), {1280, 720}, 1.1, what == "followed" ? "Y" : "");
        SHARDSCOPE_COMPARE_GOLDEN(picture, QString::fromLatin1(QTest::currentDataTag()));
    }

    /// One picture for each thing that other schemes than a linear pair bring.
    void goldenOfEveryScheme_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("label");
        QTest::addColumn<double>("fraction");
        QTest::newRow("block-4-attention") << "scheme=block ranks=4"
                                           << "C = attention(Q, K, V)" << 0.4;
        QTest::newRow("block-4-norm") << "scheme=block ranks=4 sequence-parallel=megatron"
                                      << "N1 = norm(X)" << 0.4;
        QTest::newRow("attention-4-replicas") << "scheme=attention ranks=4 heads=8 kv-heads=2 hidden=512"
                                              << "AR dWk … dbv" << 0.4;
        QTest::newRow("attention-4-decode") << "scheme=attention ranks=4 phase=decode"
                                            << "C = attention(Q, K, V)" << 0.9;
        QTest::newRow("mlp-4-int8") << "scheme=mlp ranks=4 phase=decode weight-dtype=int8"
                                    << "W2 = int8 · s:W2" << 0.4;
        QTest::newRow("pipeline-4-send") << "scheme=pipeline ranks=4 micro-batches=2"
                                         << "send Y.1#1" << 0.4;
        QTest::newRow("zero3-4-gather") << "scheme=zero3 ranks=4"
                                        << "AG W1 … b2" << 0.4;
        QTest::newRow("mesh-2x2-compute") << "scheme=mlp mesh=tp=2,dp=2"
                                          << "Y = H·W2" << 0.9;
        QTest::newRow("mesh-2x2-tp") << "scheme=mlp mesh=tp=2,dp=2"
                                     << "AR Y" << 0.4;
        QTest::newRow("mesh-2x2-dp") << "scheme=mlp mesh=tp=2,dp=2"
                                     << "AR dW2 … db1" << 0.4;
        QTest::newRow("mesh-2x2x2-send") << "scheme=mlp mesh=tp=2,dp=2,pp=2"
                                         << "send Y.1" << 0.4;
        QTest::newRow("logits-4-maximum") << "scheme=logits ranks=4"
                                          << "AR M" << 0.4;
        QTest::newRow("embedding-4-lookup") << "scheme=embedding ranks=4"
                                            << "Y = E[ids]" << 0.9;
        QTest::newRow("embedding-4-backward") << "scheme=embedding ranks=4"
                                              << "dE from dY" << 0.4;
        QTest::newRow("data-parallel-4-reduce") << "scheme=data-parallel ranks=4"
                                                << "AR dW2 … db1" << 0.4;
        QTest::newRow("zero1-4-slice") << "scheme=zero1 ranks=4"
                                       << "slice W2" << 0.9;
        QTest::newRow("zero1-4-adam") << "scheme=zero1 ranks=4"
                                      << "Adam W2" << 0.4;
        QTest::newRow("zero2-4-scatter") << "scheme=zero2 ranks=4"
                                         << "RS dW2 … db1" << 0.4;
        QTest::newRow("block-4-scatter") << "scheme=block ranks=4 sequence-parallel=megatron"
                                         << "RS A" << 0.4;
        QTest::newRow("block-2x2-send") << "scheme=block mesh=tp=2,pp=2 layers=2"
                                        << "send Y.1" << 0.4;
        QTest::newRow("root-4-reduce") << "scheme=mlp ranks=4 reduce-to=root"
                                       << "reduce Y" << 0.4;
    }
    void goldenOfEveryScheme()
    {
        QFETCH(QString, options);
        QFETCH(QString, label);
        QFETCH(double, fraction);
        const Plan plan = planOf(optionsOf(options));
        const double position =
            stepPosition(plan, [&](const Step &step) { return QString::fromStdString(step.label) == label; });
        QStringList labels;
        for (const Step &step : plan.steps)
            labels << QString::fromStdString(step.label);
        QVERIFY2(position >= 0, qPrintable(labels.join('\n')));
        const Theme &theme = options.contains("ranks=4") ? Theme::light() : Theme::dark();
        const QImage picture = pictureOf(plan, position + fraction, theme, {1280, 720}, 1.1);
        SHARDSCOPE_COMPARE_GOLDEN(picture, QString::fromLatin1(QTest::currentDataTag()));
    }

    void smallWindow()
    {
        const Plan plan = planOf({{"scheme", "mlp"}, {"ranks", "4"}});
        const QImage picture = pictureOf(plan, hopPosition(plan, 2, 0.3), Theme::dark(), {900, 420}, 1);
        SHARDSCOPE_COMPARE_GOLDEN(picture, QStringLiteral("small-window"));
    }

    void samePixelsEveryTime()
    {
        const Plan plan = planOf({{"scheme", "mlp"}, {"ranks", "4"}});
        const double position = hopPosition(plan, 1, 0.4);
        const QImage first = pictureOf(plan, position, Theme::light(), {900, 420}, 1);
        pictureOf(plan, 0, Theme::dark(), {1280, 720}, 2);
        QCOMPARE(pictureOf(plan, position, Theme::light(), {900, 420}, 1), first);
        QVERIFY(pictureOf(plan, position + 0.2, Theme::light(), {900, 420}, 1) != first);
    }

    /// Projectors and colour-blind eyes: whole, shard, replica and partial differ without any colour, and even by
    /// their lines alone.
    void placementsDifferInGreyscale()
    {
        for (const Theme *theme : {&Theme::light(), &Theme::dark(), &Theme::projector()}) {
            for (int rank = 0; rank < 4; ++rank) {
                std::vector<QImage> grey;
                std::vector<QImage> lines;
                for (const auto look : {MatrixView::Look::Whole, MatrixView::Look::Shard, MatrixView::Look::Replica,
                                        MatrixView::Look::Partial}) {
                    grey.push_back(greyMatrix(view(look, rank), *theme));
                    lines.push_back(edges(grey.back()));
                }
                for (std::size_t i = 0; i < grey.size(); ++i) {
                    for (std::size_t j = 0; j < i; ++j) {
                        QVERIFY2(
                            differentShare(lines[i], lines[j]) > 0.03,
                            qPrintable(QStringLiteral("%1 rank %2: %3 and %4").arg(theme->id).arg(rank).arg(i).arg(j)));
                    }
                }
            }
        }
    }

    void gradientsDifferInLightness()
    {
        for (const Theme *theme : {&Theme::light(), &Theme::dark()}) {
            for (int rank = 0; rank < 8; ++rank) {
                const QColor forward = theme->rank(rank, 8);
                const QColor backward = passShade(forward, true, *theme);
                QVERIFY(std::abs(qGray(forward.rgb()) - qGray(backward.rgb())) >= 24);
            }
        }
    }

    void wordsContrastWithWhatTheyStandOn()
    {
        for (const Theme *theme : {&Theme::light(), &Theme::dark(), &Theme::projector()}) {
            for (const QColor &ground : {theme->background, theme->surface}) {
                for (const QColor &ink : {theme->text, theme->text2, theme->ok})
                    QVERIFY(contrast(ink, ground) >= 4.5);
                QVERIFY(contrast(theme->text3, ground) >= 4.0);
            }
            for (int ranks : {8, 64}) {
                for (int rank = 0; rank < ranks; ++rank) {
                    const QColor fill = theme->rank(rank, ranks);
                    QVERIFY(contrast(Theme::textOn(fill), fill) >= 4.5);
                }
            }
            for (const QColor &fill : {theme->forwardCompute, theme->backwardCompute})
                QVERIFY(contrast(Theme::textOn(fill), fill) >= 4.5);
        }
    }

    void rankColoursOfALargeRunGetSteadilyDarker()
    {
        for (int rank = 1; rank < 64; ++rank)
            QVERIFY(Theme::light().rank(rank, 64).lightnessF() < Theme::light().rank(rank - 1, 64).lightnessF());
    }

    void legendCanBeLeftOut()
    {
        const Plan plan = planOf({{"scheme", "mlp"}, {"ranks", "2"}});
        DiagramFrame frame;
        frame.plan = &plan;
        frame.theme = &Theme::light();
        const auto paint = [&](bool legend) {
            frame.legend = legend;
            return paintPicture({900, 420},
                                [&](QPainter &painter) { paintDiagram(painter, QRectF(0, 0, 900, 420), frame); });
        };
        QVERIFY(paint(true) != paint(false));
    }

    void tensorsAreFoundWhereTheyAreDrawn()
    {
        const Plan plan = planOf({{"scheme", "mlp"}, {"ranks", "4"}});
        DiagramFrame frame;
        frame.plan = &plan;
        frame.theme = &Theme::light();
        const QRectF area(0, 0, 1280, 720);
        std::set<QString> found;
        for (double x = 0; x < area.width(); x += 24) {
            for (double y = 0; y < area.height(); y += 40)
                found.insert(tensorAt({x, y}, area, frame));
        }
        QCOMPARE(found, (std::set<QString>{"", "W1", "X", "Z"}));
        QCOMPARE(tensorAt({5, 5}, area, frame), QString());
    }
};

QTEST_MAIN(TestDiagramPictures)
#include "tst_diagram_pictures.moc"
