; The installer of Windows, for one user and without an administrator.
;   makensis -DVERSION=0.1.0 -DFOLDER=the-folder-of-the-zip -DICON=icon.ico -DOUT=yuremono-setup.exe installer.nsi
Unicode true
!include MUI2.nsh
!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Yuremono"
Name "Yuremono"
OutFile "${OUT}"
RequestExecutionLevel user
; The folder is not chosen, because the uninstaller deletes it.
!define PLACE "$LOCALAPPDATA\Programs\Yuremono"
InstallDir "${PLACE}"
SetCompressor /SOLID lzma
!define MUI_ICON "${ICON}"
!define MUI_UNICON "${MUI_ICON}"
!define MUI_FINISHPAGE_RUN "$INSTDIR\yuremono.exe"
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "Japanese"
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "Yuremono"
VIAddVersionKey "FileDescription" "Yuremono setup"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "LegalCopyright" "MIT OR Apache-2.0"

Section
  SetOutPath "$INSTDIR"
  File /r "${FOLDER}/*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\Yuremono.lnk" "$INSTDIR\yuremono.exe"
  WriteRegStr HKCU "${KEY}" "DisplayName" "Yuremono"
  WriteRegStr HKCU "${KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${KEY}" "DisplayIcon" "$INSTDIR\yuremono.exe"
  WriteRegStr HKCU "${KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegDWORD HKCU "${KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${KEY}" "NoRepair" 1
  WriteRegStr HKCU "Software\Classes\.yure" "" "Yuremono.Project"
  WriteRegStr HKCU "Software\Classes\Yuremono.Project\shell\open\command" "" '"$INSTDIR\yuremono.exe" "%1"'
SectionEnd

Section Uninstall
  ; Presets, settings and recovery journals stay.
  RMDir /r "${PLACE}"
  Delete "$SMPROGRAMS\Yuremono.lnk"
  DeleteRegKey HKCU "${KEY}"
  DeleteRegKey HKCU "Software\Classes\Yuremono.Project"
  DeleteRegKey HKCU "Software\Classes\.yure"
SectionEnd
