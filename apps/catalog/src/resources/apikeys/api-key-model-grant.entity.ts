import type { ModelGrantKind } from '@tollgate/contracts';
import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Provider } from '../providers/provider.entity';
import { ApiKey } from './api-key.entity';

/** A standing grant of a key: it gives whatever models of the organisation fit. */
@Entity('api_key_model_grant')
@Index(['providerId'])
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
