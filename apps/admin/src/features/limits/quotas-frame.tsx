import type { ReactNode } from 'react';
import { Page } from '../../design/page';
import { Tabs } from '../../design/tabs';
import { QUOTA_TABS } from './quota-tabs';

type QuotasFrameProps = { readonly actions: ReactNode; readonly children: ReactNode };

/** What quotas and rate limits share: both cap how much of something may happen. */
export function QuotasFrame({ actions, children }: QuotasFrameProps) {
  return (
    <Page
      title="Quotas"
      description="How much may happen in a window, how fast, and how much at once."
      actions={actions}
    >
      <Tabs label="Kinds of limit" tabs={QUOTA_TABS} />
      {children}
    </Page>
  );
}
