// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/arguments.h"

#include "app/page_arguments.h"
#include "app/points.h"
#include "app/predictor.h"
#include "ui/remote/host_name.h"

#include <QRegularExpression>
#include <algorithm>
#include <functional>
#include <map>

namespace shardscope {

namespace {

/// Options of this program beside those of an experiment; each reads its value, or says what is allowed.
using Reader = std::function<QString(Arguments &, const QString &value)>;

QString notAllowed(const QString &option, const QString &value, const QString &allowed)
{
    return QStringLiteral("--%1 %2: allowed: %3").arg(option, value.isEmpty() ? QStringLiteral("''") : value, allowed);
}

QStringList viewNames()
{
    QStringList names;
    for (const PictureView view : pictureViews())
        names << pictureViewName(view);
    return names;
}

QStringList themeNames()
{
    return {QStringLiteral("light"), QStringLiteral("dark"), QStringLiteral("projector")};
}

/// In the order of PictureBackground.
QStringList backgroundNames()
{
    return {QStringLiteral("theme"), QStringLiteral("white"), QStringLiteral("transparent")};
}

QStringList hardwareNames()
{
    QStringList names{QString::fromUtf8(kThisMachine.data())};
    for (const Hardware &preset : hardwarePresets())
        names << QString::fromStdString(preset.name);
    return names;
}

struct Range {
    double least;
    double most;
};
constexpr Range kScales{0.25, 8};
constexpr Range kSeconds{0, 1e6};

QString rangeText(const Range &range)
{
    return QStringLiteral("a number from %1 to %2").arg(range.least).arg(range.most);
}

QString readView(Arguments &arguments, const QString &value)
{
    const std::optional<PictureView> view = pictureViewFromName(value);
    if (!view && value == QLatin1String("frames"))
        return QStringLiteral("--export %1: not in this version").arg(value);
    if (!view)
        return notAllowed(QStringLiteral("export"), value, viewNames().join(QStringLiteral(", ")));
    arguments.mode = Arguments::Mode::Export;
    arguments.picture.view = *view;
    return {};
}

QString readSize(Arguments &arguments, const QString &value)
{
    static const QRegularExpression pattern(QStringLiteral("^([0-9]{1,9})x([0-9]{1,9})$"));
    const QRegularExpressionMatch match = pattern.match(value);
    if (!match.hasMatch())
        return notAllowed(QStringLiteral("size"), value, QStringLiteral("WIDTHxHEIGHT in pixels, as in 1920x1080"));
    arguments.picture.size = QSize(match.captured(1).toInt(), match.captured(2).toInt());
    const QString problem = sizeProblem(arguments.picture.size);
    return problem.isEmpty() ? QString() : QStringLiteral("--size ") + problem;
}

Reader numberReader(const QString &option, const Range &range, std::function<void(Arguments &, double)> apply)
{
    return [=](Arguments &arguments, const QString &value) {
        bool ok = false;
        const double number = value.toDouble(&ok); // QString's toDouble is always of the C locale
        if (!ok || !(number >= range.least && number <= range.most))
            return notAllowed(option, value, rangeText(range));
        apply(arguments, number);
        return QString();
    };
}

Reader wordReader(const QString &option, const QStringList &words, std::function<void(Arguments &, int)> apply)
{
    return [=](Arguments &arguments, const QString &value) {
        const auto index = words.indexOf(value);
        if (index < 0)
            return notAllowed(option, value, words.join(QStringLiteral(", ")));
        apply(arguments, static_cast<int>(index));
        return QString();
    };
}

QString readStep(Arguments &arguments, const QString &value)
{
    bool ok = false;
    const int step = value.toInt(&ok);
    if (!ok || step < 1)
        return notAllowed(QStringLiteral("step"), value, QStringLiteral("a step of the plan, counted from 1"));
    arguments.step = step;
    return {};
}

QString readOutput(Arguments &arguments, const QString &value)
{
    arguments.output = value;
    return {};
}

QString readHardware(Arguments &arguments, const QString &value)
{
    if (!hardwareNames().contains(value))
        return notAllowed(QStringLiteral("hardware"), value, hardwareNames().join(QStringLiteral(", ")));
    arguments.hardware = value;
    return {};
}

const std::map<QString, Reader> &readers()
{
    static const std::map<QString, Reader> table{
        {QStringLiteral("export"), readView},
        {QStringLiteral("output"), readOutput},
        {QStringLiteral("size"), readSize},
        {QStringLiteral("step"), readStep},
        {QStringLiteral("hardware"), readHardware},
        {QStringLiteral("scale"),
         numberReader(QStringLiteral("scale"), kScales, [](Arguments &a, double number) { a.picture.scale = number; })},
        {QStringLiteral("at"),
         numberReader(QStringLiteral("at"), kSeconds, [](Arguments &a, double number) { a.atSeconds = number; })},
        {QStringLiteral("background"),
         wordReader(QStringLiteral("background"), backgroundNames(),
                    [](Arguments &a, int index) { a.picture.background = static_cast<PictureBackground>(index); })},
        {QStringLiteral("theme"), wordReader(QStringLiteral("theme"), themeNames(),
                                             [](Arguments &a, int index) {
                                                 a.theme = themeNames()[index];
                                                 a.picture.theme = &Theme::byId(a.theme);
                                             })},
        {QStringLiteral("remote"),
         [](Arguments &a, const QString &value) {
             a.remote = value;
             const QString problem = hostProblem(value);
             return problem.isEmpty() ? problem : QStringLiteral("--remote ") + problem;
         }},
        {QStringLiteral("engine"),
         [](Arguments &a, const QString &value) {
             a.engine = value;
             return value.isEmpty() ? QStringLiteral("--engine '': allowed: a program") : QString();
         }},
    };
    return table;
}

bool isLater(const QString &option)
{
    return QStringList{QStringLiteral("lesson"), QStringLiteral("present"), QStringLiteral("language"),
                       QStringLiteral("schemes"), QStringLiteral("format")}
        .contains(option);
}

/// Why an export measures nothing; empty: it does.
QString whyNothingRuns(const Arguments &arguments)
{
    if (!arguments.file.isEmpty())
        return QStringLiteral("%1 holds its own runs").arg(arguments.file);
    if (exportsPageWithSettings(arguments))
        return QStringLiteral("--export %1 is calculated").arg(pictureViewName(arguments.picture.view));
    return isPrediction(arguments) ? QStringLiteral("--hardware %1 asks for a prediction").arg(arguments.hardware)
                                   : QString();
}

/// What only an export understands is an error without one, and the other way round.
QString checkTogether(const Arguments &arguments, const QStringList &given)
{
    const bool exports = arguments.mode == Arguments::Mode::Export;
    for (const char *option : {"output", "size", "scale", "at", "background"}) {
        if (!exports && given.contains(QLatin1String(option)))
            return QStringLiteral("--%1: allowed with --export only").arg(QLatin1String(option));
    }
    if (exports && arguments.output.isEmpty())
        return QStringLiteral("--export: needs --output FILE, ending in .png, .svg or .pdf");
    const bool knownEnding =
        QRegularExpression(QStringLiteral("\\.(png|svg|pdf)$"), QRegularExpression::CaseInsensitiveOption)
            .match(arguments.output)
            .hasMatch();
    if (exports && !knownEnding)
        return notAllowed(QStringLiteral("output"), arguments.output,
                          QStringLiteral("a file that ends in .png, .svg or .pdf"));
    if (given.contains(QStringLiteral("at")) && arguments.picture.view != PictureView::Diagram &&
        arguments.picture.view != PictureView::Window)
        return QStringLiteral("--at: allowed with --export diagram and --export window only");
    if (exports && given.contains(QStringLiteral("remote"))) {
        if (const QString why = whyNothingRuns(arguments); !why.isEmpty())
            return QStringLiteral("--remote: %1, so nothing would run there; allowed: without --remote").arg(why);
    }
    const auto ofOneStep = {PictureView::Diagram, PictureView::Derivation, PictureView::Window};
    if (exports && arguments.step && std::ranges::find(ofOneStep, arguments.picture.view) == ofOneStep.end())
        return QStringLiteral("--step: allowed in the window, and with --export diagram, derivation and window only");
    return {};
}

/// Three phases are shown, so what one of them uses is used.
Expected<Experiment> readShownExperiment(const OptionValues &values)
{
    Expected<Experiment> strict = readExperiment(values, Unused::Refuse);
    if (strict)
        return strict;
    for (const Phase phase : kPhases) {
        OptionValues other = values;
        other["phase"] = name(phase);
        Expected<Experiment> used = readExperiment(other, Unused::Refuse);
        const Expected<Experiment> shown = readExperiment(values, Unused::Allow);
        if (!used)
            continue;
        if (!shown)
            return shown;
        // Kept for the phase that uses it.
        used.value().phase = shown->phase;
        return used;
    }
    return strict;
}

} // namespace

bool isPrediction(const Arguments &arguments)
{
    const bool preset = !arguments.hardware.isEmpty() && arguments.hardware.toStdString() != kThisMachine;
    return preset && arguments.picture.view != PictureView::BugLab; // a prediction has no errors to show
}

ArgumentsResult readArguments(const QStringList &words)
{
    Arguments arguments;
    QStringList given;
    OptionValues values;
    const auto fail = [](const QString &problem) { return ArgumentsResult{{}, problem}; };
    for (int i = 0; i < words.size(); ++i) {
        const QString &word = words[i];
        if (word == QLatin1String("--help") || word == QLatin1String("-h")) {
            arguments.mode = Arguments::Mode::Help;
            return {arguments, {}};
        }
        if (word == QLatin1String("--version")) {
            arguments.mode = Arguments::Mode::Version;
            return {arguments, {}};
        }
        if (!word.startsWith(QLatin1Char('-'))) {
            if (!arguments.file.isEmpty())
                return fail(QStringLiteral("%1: one file at a time").arg(word));
            arguments.file = word;
            continue;
        }
        const auto equals = word.indexOf(QLatin1Char('='));
        const QString option = word.mid(2, equals < 0 ? -1 : equals - 2);
        const auto reader = readers().find(option);
        const bool ofWhatIsShown = findOption(option.toStdString()) || isOptionOfPages(option);
        if (!word.startsWith(QLatin1String("--")) || (reader == readers().end() && !ofWhatIsShown)) {
            return fail(isLater(option) ? QStringLiteral("--%1: not in this version").arg(option)
                                        : QStringLiteral("%1: no such option; shardscope --help lists them").arg(word));
        }
        if (equals < 0 && i + 1 == words.size())
            return fail(QStringLiteral("--%1: needs a value").arg(option));
        const QString value = equals < 0 ? words[++i] : word.mid(equals + 1);
        if (given.contains(option))
            return fail(QStringLiteral("--%1: given twice").arg(option));
        given << option;
        if (reader == readers().end())
            values[option.toStdString()] = value.toStdString();
        else if (const QString problem = reader->second(arguments, value); !problem.isEmpty())
            return fail(problem);
    }
    if (const QString problem = checkTogether(arguments, given); !problem.isEmpty())
        return fail(problem);
    if (exportsPageWithSettings(arguments)) {
        const QString problem = takePageSettings(arguments, values);
        return problem.isEmpty() ? ArgumentsResult{arguments, {}} : fail(problem);
    }
    if (values.empty())
        return {arguments, {}};
    if (!arguments.file.isEmpty())
        return fail(QStringLiteral("--%1: %2 holds its own experiment; allowed: one of the two")
                        .arg(QString::fromStdString(values.begin()->first), arguments.file));
    for (const auto &[option, value] : values) {
        if (!findOption(option))
            return fail(onlyWithPages(QString::fromStdString(option)));
    }
    const Expected<Experiment> experiment = readShownExperiment(values);
    if (!experiment)
        return fail(QString::fromStdString(english(experiment.problem())));
    arguments.experiment = *experiment;
    // A page that has a phase of its own shows the one that was asked for.
    if (const auto phase = values.find("phase"); phase != values.end() && pageOf(arguments.picture.view))
        arguments.page["phase"] = phase->second;
    return {arguments, {}};
}

QString helpText()
{
    const QString comma = QStringLiteral(", ");
    QString text =
        QStringLiteral(
            "Shardscope shows how tensor parallelism works, measured on your own machine.\n\n"
            "usage: shardscope [FILE] [options]\n"
            "       shardscope --export VIEW --output FILE [options]\n\n"
            "FILE is a saved run (.shardscope). Defaults stand in brackets.\n\n"
            "  --theme NAME           colours: %1 [as last time, light in an export]\n"
            "  --engine PROGRAM       the engine [shardscope-engine beside this program]\n"
            "  --remote [USER@]HOST   ranks run on that machine, which has shardscope-engine, by ssh [this machine]\n"
            "  --hardware NAME        machine of the predictions: %2 [this, or as last time]\n"
            "  --step K               step of the plan that is shown, counted from 1 [1]\n\n"
            "Export, with no display needed:\n"
            "  --export VIEW          %3\n"
            "  --output FILE          ends in .png, .svg or .pdf\n"
            "  --size WxH             pixels [1920x1080]\n"
            "  --scale FACTOR         size of text and lines: %4 [1]\n"
            "  --at SECONDS           where the animation stands, diagram and window, with --step since that step "
            "began: %5 [0]\n"
            "  --background NAME      %6 [theme]\n\n"
            "The experiment:\n")
            .arg(themeNames().join(comma), hardwareNames().join(comma), viewNames().join(comma), rangeText(kScales),
                 rangeText(kSeconds), backgroundNames().join(comma));
    for (const ExperimentOption &option : experimentOptions())
        text += helpLine(option.name, option.meaning, option.values, option.defaultText);
    text += helpOfPages();
    text += QStringLiteral("\nEnvironment:\n"
                           "  SHARDSCOPE_SSH            the ssh command and its options [ssh]\n"
                           "  SHARDSCOPE_REMOTE_ENGINE  what --remote starts there [shardscope-engine]\n"
                           "\nExamples:\n"
                           "  shardscope --ranks 4 --hidden 4096\n"
                           "  shardscope --remote me@gpu1 --ranks 4\n"
                           "  shardscope --export comparison --output slide.png --ranks 2\n"
                           "  shardscope --export derivation --output why.png --scheme block --ranks 4 --step 9\n"
                           "  shardscope --export memory --output slide.png --model gpt3 --tp 8\n");
    return text;
}

} // namespace shardscope
