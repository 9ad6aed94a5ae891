// SPDX-License-Identifier: GPL-3.0-or-later
// The one file that names QSettings.
#include "app/settings.h"

#include "engine/plan/experiment_options.h"
#include "ui/remote/host_name.h"

#include <QSettings>
#include <QStringList>
#include <cmath>
#include <functional>

namespace shardscope {

namespace {

constexpr int kVersion = 1; ///< of the meaning of the keys; another version's settings are not read

struct Key {
    const char *name;
    std::function<QVariant(const Settings &)> get;
    std::function<void(Settings &, const QVariant &)> set;
};

template <typename T>
Key key(const char *name, T Settings::*field)
{
    return {name, [field](const Settings &settings) { return QVariant::fromValue(settings.*field); },
            [field](Settings &settings, const QVariant &value) { settings.*field = value.value<T>(); }};
}

const std::vector<Key> &keys()
{
    static const std::vector<Key> table{
        key("theme", &Settings::theme),           key("scale", &Settings::scale),
        key("autoRun", &Settings::autoRun),       key("hardware", &Settings::hardware),
        key("experiment", &Settings::experiment), key("thisMachine", &Settings::thisMachine),
        key("place", &Settings::place),           key("pages", &Settings::pages),
        key("hosts", &Settings::hosts),
    };
    return table;
}

QSettings store()
{
    return QSettings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("shardscope"),
                     QStringLiteral("shardscope"));
}

} // namespace

Settings Settings::load()
{
    Settings settings;
    QSettings kept = store();
    if (kept.value(QStringLiteral("version")).toInt() != kVersion)
        return settings;
    for (const Key &entry : keys()) {
        const QVariant value = kept.value(QString::fromLatin1(entry.name));
        if (value.isValid())
            entry.set(settings, value);
    }
    if (!std::isfinite(settings.scale) || settings.scale < 1 || settings.scale > 2.5)
        settings.scale = 1;
    // Whatever stands in the file, only what may be given to ssh is offered.
    settings.hosts.removeIf([](const QString &host) { return !hostProblem(host).isEmpty(); });
    settings.hosts = settings.hosts.mid(0, kMostHosts);
    return settings;
}

void Settings::save() const
{
    QSettings kept = store();
    kept.setValue(QStringLiteral("version"), kVersion);
    for (const Key &entry : keys())
        kept.setValue(QString::fromLatin1(entry.name), entry.get(*this));
}

QString experimentToSettings(const Experiment &experiment)
{
    QStringList words;
    for (const auto &[option, value] : allOptions(experiment))
        words << QString::fromStdString(option) + QLatin1Char('=') + QString::fromStdString(value);
    return words.join(QLatin1Char(' '));
}

Experiment experimentFromSettings(const QString &text)
{
    OptionValues values;
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (const QString &word : words) {
        const auto equals = word.indexOf(QLatin1Char('='));
        if (equals > 0)
            values[word.left(equals).toStdString()] = word.mid(equals + 1).toStdString();
    }
    const Expected<Experiment> shown = readExperiment(values, Unused::Allow);
    // Training uses what every phase uses: a choice for it is kept while another one is looked at.
    values["phase"] = name(Phase::Training);
    Expected<Experiment> read = readExperiment(values, Unused::Allow);
    if (!shown || !read)
        return shown ? *shown : Experiment{};
    read.value().phase = shown->phase;
    return *read;
}

} // namespace shardscope
