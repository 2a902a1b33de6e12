import { MODEL_GRANT_KINDS, type ModelGrantKind } from '@tollgate/contracts';
import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { oneOf } from '../../db/columns';
import { ApiKey } from '../../entities/api-key.entity';
import { Provider } from '../../entities/provider.entity';

/**
 * A standing grant of a key: it covers every matching model of the organisation, also later ones.
 */
@Entity('api_key_model_grant')
@Index(['providerId'])
@Check('api_key_model_grant_kind_check', oneOf('kind', MODEL_GRANT_KINDS))
@Check(
  'api_key_model_grant_shape_check',
  `(provider_id IS NOT NULL) = (kind = 'PROVIDER') AND (pattern IS NOT NULL) = (kind = 'PATTERN')`,
)
@ForeignKey(() => ApiKey, ['organisationId', 'apiKeyId'], ['organisationId', 'id'], {
  onDelete: 'CASCADE',
})
@ForeignKey(() => Provider, ['organisationId', 'providerId'], ['organisationId', 'id'], {
  onDelete: 'CASCADE',
})
export class ApiKeyModelGrant {
  @PrimaryColumn('uuid')
  apiKeyId!: string;

  /** Position in the list of grants as it was given. */
  @PrimaryColumn('integer')
  place!: number;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  kind!: ModelGrantKind;

  /** Set for PROVIDER. */
  @Column('uuid', { nullable: true })
  providerId!: string | null;

  /** Set for PATTERN. */
  @Column('text', { nullable: true })
  pattern!: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
