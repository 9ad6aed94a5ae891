// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/diagram_accessible.h"

#include "ui/diagram/diagram_view.h"
#include "ui/diagram/matrix_view.h"

#include <QAccessibleWidget>
#include <map>

namespace shardscope {
namespace {

/// One rank's card.
class RankInterface : public QAccessibleInterface
{
public:
    RankInterface(DiagramView *view, int rank) : m_view(view), m_rank(rank) {}

    bool isValid() const override { return m_view != nullptr && m_rank < m_view->rankCount(); }
    QObject *object() const override { return nullptr; }
    QAccessibleInterface *childAt(int, int) const override { return nullptr; }
    QAccessibleInterface *parent() const override { return QAccessible::queryAccessibleInterface(m_view); }
    QAccessibleInterface *child(int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface *) const override { return -1; }
    QString text(QAccessible::Text kind) const override
    {
        if (!isValid())
            return {};
        if (kind == QAccessible::Name)
            return rankName(*m_view->frame().plan, m_rank);
        return kind == QAccessible::Description ? m_view->rankText(m_rank) : QString();
    }
    void setText(QAccessible::Text, const QString &) override {}
    QRect rect() const override
    {
        if (!isValid())
            return {};
        const QRect local = m_view->rankRect(m_rank);
        return {m_view->mapToGlobal(local.topLeft()), local.size()};
    }
    QAccessible::Role role() const override { return QAccessible::Graphic; }
    QAccessible::State state() const override { return {}; }

private:
    QPointer<DiagramView> m_view;
    int m_rank;
};

class DiagramInterface : public QAccessibleWidget
{
public:
    explicit DiagramInterface(DiagramView *view) : QAccessibleWidget(view, QAccessible::Graphic), m_view(view) {}
    ~DiagramInterface() override
    {
        for (const auto &[rank, id] : m_children)
            QAccessible::deleteAccessibleInterface(id);
    }

    int childCount() const override { return m_view ? m_view->rankCount() : 0; }
    QAccessibleInterface *child(int index) const override
    {
        if (index < 0 || index >= childCount())
            return nullptr;
        const auto known = m_children.find(index);
        if (known != m_children.end())
            return QAccessible::accessibleInterface(known->second);
        auto *made = new RankInterface(m_view, index); // owned by QAccessible's cache, freed in the destructor
        m_children[index] = QAccessible::registerAccessibleInterface(made);
        return made;
    }
    int indexOfChild(const QAccessibleInterface *wanted) const override
    {
        for (const auto &[rank, id] : m_children) {
            if (QAccessible::accessibleInterface(id) == wanted)
                return rank;
        }
        return -1;
    }

private:
    QPointer<DiagramView> m_view;
    mutable std::map<int, QAccessible::Id> m_children;
};

QAccessibleInterface *makeInterface(const QString &, QObject *object)
{
    auto *view = qobject_cast<DiagramView *>(object);
    return view != nullptr ? new DiagramInterface(view) : nullptr;
}

} // namespace

void installDiagramAccessibility()
{
    static const bool installed = [] {
        QAccessible::installFactory(makeInterface);
        return true;
    }();
    static_cast<void>(installed);
}

} // namespace shardscope
