import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { ApiKey } from '../../entities/api-key.entity';
import { Model } from '../../entities/model.entity';

/** Grants a model to a key. */
@Entity('api_key_model_access')
@Index(['modelId'])
@ForeignKey(() => ApiKey, ['organisationId', 'apiKeyId'], ['organisationId', 'id'], {
  onDelete: 'CASCADE',
})
@ForeignKey(() => Model, ['organisationId', 'modelId'], ['organisationId', 'id'], {
  onDelete: 'CASCADE',
})
export class ApiKeyModelAccess {
  @PrimaryColumn('uuid')
  apiKeyId!: string;

  @PrimaryColumn('uuid')
  modelId!: string;

  @Column('uuid')
  organisationId!: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
