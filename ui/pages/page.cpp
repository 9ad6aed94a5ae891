// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/page.h"

#include "ui/pages/page_canvas.h"
#include "ui/pages/page_controls.h"

#include <QHBoxLayout>
#include <QScrollArea>

namespace shardscope {

Page::Page(const QString &title, QWidget *parent)
    : QWidget(parent), m_maker([this](const PagePicture &made) { show(made); }), m_controls(new PageControls(title)),
      m_canvas(new PageCanvas)
{
    setAccessibleName(title);
    m_canvas->setAccessibleName(title);
    auto *scroll = new QScrollArea;
    scroll->setWidget(m_canvas);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->viewport()->setAutoFillBackground(false);
    m_canvas->setAutoFillBackground(false);
    auto *card = new Card;
    auto *inner = new QHBoxLayout(card);
    inner->addWidget(scroll);
    auto *row = new QHBoxLayout(this);
    row->addWidget(m_controls);
    row->addWidget(card, 1);
}

void Page::show(const PagePicture &picture)
{
    m_picture = picture;
    m_canvas->setPicture(m_picture);
}

void Page::setPicture(PagePicture picture)
{
    m_maker.forget();
    show(picture);
}

void Page::updatePicture(PagePicture picture)
{
    m_maker.forget();
    m_picture = std::move(picture);
    m_canvas->updatePicture(m_picture);
}

void Page::setPictureLater(std::function<PagePicture()> make)
{
    m_maker.ask(std::move(make));
}

const PagePicture &Page::picture() const
{
    m_maker.finish();
    return m_picture;
}

void Page::applyLook(const Look &look)
{
    layout()->setContentsMargins(look.px(12), look.px(12), look.px(12), look.px(12));
    layout()->setSpacing(look.px(10));
}

} // namespace shardscope
