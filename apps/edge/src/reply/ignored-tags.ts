import { IGNORED_TAGS_HEADER } from '@tollgate/contracts';
import type { Allow__Output } from '@tollgate/contracts/node';

import type { ClientReply } from '../client-reply';
import { headerList } from './header-text';

/** Tells the client which of its tags are not recorded, whatever the answer will be. */
export function tellIgnoredTags(
  res: Pick<ClientReply, 'setHeader'>,
  { attribution }: Pick<Allow__Output, 'attribution'>,
): void {
  const ignored = attribution?.ignoredTags ?? [];
  if (ignored.length > 0) res.setHeader(IGNORED_TAGS_HEADER, headerList(ignored));
}
