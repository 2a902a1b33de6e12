import { Tabs } from '../../design/tabs';
import { Narrowings } from '../../resource/narrowings';

const QUOTA_TABS = [
  { value: 'quotas', label: 'Quotas' },
  { value: 'rates', label: 'Rate limits' },
] as const;

/** What the lists of quotas and of rate limits share: both are tabs of one page. */
export const QUOTAS_PAGE = {
  heading: 'Quotas',
  description: 'Usage per window, request rates, and concurrency.',
  above: (
    <>
      <Tabs label="Kinds of limit" tabs={QUOTA_TABS} />
      <Narrowings of={[{ name: 'scopeId', label: 'One object' }]} />
    </>
  ),
} as const;
