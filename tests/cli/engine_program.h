// SPDX-License-Identifier: MIT
#pragma once

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QtTest>

/// What a run of the program gave.
struct ProgramResult {
    int status = -1;
    QByteArray out;
    QByteArray err;

    [[nodiscard]] const QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
    [[nodiscard]] QList<QByteArray> lines() const { return out.trimmed().split('\n'); }
};

/// Runs shardscope-engine with these words, a line as a shell would split it without quotes.
inline ProgramResult engine(const QString &words,
                            const QProcessEnvironment &environment = QProcessEnvironment::systemEnvironment())
{
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(ENGINE_PROGRAM), words.split(' ', Qt::SkipEmptyParts));
    if (!process.waitForFinished(120000) || process.exitStatus() != QProcess::NormalExit) {
        qWarning("shardscope-engine %s: %s", qPrintable(words), qPrintable(process.errorString()));
        return {};
    }
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

/// A complaint is one line on stderr, and nothing on stdout.
inline bool isOneLine(const ProgramResult &result)
{
    return result.out.isEmpty() && result.err.endsWith('\n') && result.err.count('\n') == 1;
}

/// The collectives of a RUN document in one pass.
inline QList<QJsonObject> collectivesOf(const QJsonObject &run, const QString &pass)
{
    QList<QJsonObject> found;
    for (const QJsonValue &value : run["collectives"].toArray()) {
        if (value["pass"].toString() == pass)
            found.append(value.toObject());
    }
    return found;
}
