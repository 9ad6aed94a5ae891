// SPDX-License-Identifier: MIT
#pragma once

#include <QJsonDocument>
#include <QJsonObject>
#include <QtGlobal>

#include <string>

namespace shardscope::test {

/// A document that must be one JSON object; ends the test where it is none.
inline QJsonObject parsed(const std::string &document)
{
    QJsonParseError error;
    const auto json = QJsonDocument::fromJson(QByteArray::fromStdString(document), &error);
    if (error.error != QJsonParseError::NoError)
        qFatal("%s", qPrintable(error.errorString()));
    return json.object();
}

} // namespace shardscope::test
