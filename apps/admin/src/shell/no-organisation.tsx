import { Building2 } from 'lucide-react';
import { LinkButton } from '../design/button';
import { Empty } from '../design/empty';
import { Page } from '../design/page';
import { paths } from './paths';

/** A page about an organisation, before there is one. */
export function NoOrganisation() {
  return (
    <Page title="No organisation yet">
      <Empty
        icon={Building2}
        title="This page shows something of an organisation"
        action={<LinkButton href={paths.platform('organisations')}>Organisations</LinkButton>}
      >
        Create the first one, then come back.
      </Empty>
    </Page>
  );
}
