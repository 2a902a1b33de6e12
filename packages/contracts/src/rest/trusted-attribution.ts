import { z } from 'zod';

import { TRUSTED_ATTRIBUTIONS } from '../attribution';

/** Of an API key. */
export const trustedAttribution = z.enum(TRUSTED_ATTRIBUTIONS).meta({
  description:
    'HEADERS: end users, sessions and tags that its requests name count in the whole organisation. NONE: end users and sessions count within the key, and tags are ignored. Default: HEADERS for keys of type ORGANISATION, else NONE. Only administrators of the organisation change it.',
});
