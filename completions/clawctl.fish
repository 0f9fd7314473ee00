complete --keep-order --exclusive --command clawctl --arguments "(COMPLETE=fish clawctl -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token))"
