import { MODEL_GRANT_KINDS, type ModelGrantKind } from '@tollgate/contracts';
import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { oneOf } from '../../db/columns';
import { ApiKey } from '../../entities/api-key.entity';
import { Provider } from '../../entities/provider.entity';

/** A standing grant of a key: it gives whatever models of the organisation fit. */
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

  /** Grants are answered in the order in which they were given. */
  @PrimaryColumn('integer')
  place!: number;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  kind!: ModelGrantKind;

  /** Of PROVIDER. */
  @Column('uuid', { nullable: true })
  providerId!: string | null;

  /** Of PATTERN. */
  @Column('text', { nullable: true })
  pattern!: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
